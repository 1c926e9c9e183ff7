package com.jd.sword.sqlthrottle;

import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.Optional;
import java.util.logging.Level;

/** Asks a provider of thresholds, and tells the engine what it says. */
final class Thresholds {
    /** Most that are renewed at one look. What is left is due at the next. */
    private static final int MAX_RENEWED = 1_000;

    private final ThresholdProvider provider;
    private final Occasionally failures = new Occasionally();
    /** Whether this thread is in the provider. One that sends SQL which it throttles itself would ask for ever. */
    private final ThreadLocal<Boolean> asking = new ThreadLocal<>();

    Thresholds(ThresholdProvider provider) {
        this.provider = provider;
    }

    /** Asks for the threshold of a fingerprint. However that ends, the engine knows what to go by afterwards. */
    void ask(NativeEngine engine, Digest fingerprint) {
        if (asking.get() != null) {
            engine.thresholdFailed(fingerprint);
            return;
        }
        asking.set(true);
        try {
            Optional<Threshold> threshold = said(provider.threshold(fingerprint.toString()), "threshold");
            engine.setThreshold(fingerprint, threshold.orElse(null), Nanos.of(said(provider.timeToLive(), "timeToLive")));
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            failed(engine, fingerprint, interrupted);
        } catch (Throwable failure) {
            // An Error of the provider's is none of the statement's that is checked.
            failed(engine, fingerprint, failure);
        } finally {
            asking.remove();
        }
    }

    /** Asks for those that are due, until the throttle is closed. */
    void renew(Checker checker) {
        NativeEngine engine = checker.engine();
        ByteBuffer due = ByteBuffer.wrap(engine.thresholdsDue(MAX_RENEWED));
        due.get();
        while (due.hasRemaining() && checker.engineIfOpen() != null) {
            byte[] digest = new byte[due.get()];
            due.get(digest);
            ask(engine, new Digest(digest));
            // An interrupt was for the one that was asked: the next is not to begin with it.
            Thread.interrupted();
        }
    }

    /** So that a log says whose null it was. */
    private <T> T said(T answer, String method) {
        return Objects.requireNonNull(answer, () -> provider.getClass().getName() + '.' + method + " has returned null");
    }

    private void failed(NativeEngine engine, Digest fingerprint, Throwable failure) {
        engine.thresholdFailed(fingerprint);
        if (failures.isDue()) {
            Logging.LOGGER.log(Level.WARNING, failure,
                    () -> "the provider of thresholds could not be asked for " + fingerprint + "; what it said before holds");
        }
    }
}
