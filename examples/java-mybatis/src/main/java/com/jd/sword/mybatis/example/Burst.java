package com.jd.sword.mybatis.example;

import com.jd.sword.mybatis.plugin.protector.exception.ProtectionAbortException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.ibatis.exceptions.PersistenceException;
import org.apache.ibatis.session.SqlSession;
import org.apache.ibatis.session.SqlSessionFactory;

/** Some innocent clients, and a burst that would starve them: everybody asks for the same, as fast as it is answered. */
final class Burst {
    private static final int REPORT_CLIENTS = 8;
    private static final int VIEW_CLIENTS = 2;
    private static final int EXPORT_CLIENTS = 2;
    private static final int INNOCENT_CLIENTS = 4;
    private static final int CLIENTS = REPORT_CLIENTS + VIEW_CLIENTS + EXPORT_CLIENTS + INNOCENT_CLIENTS;
    /** Between an answer, be it an exception, and the next statement of a client. */
    private static final long PAUSE_MILLIS = 5;
    /** However slow the machine, each client sends so many, and its kind is over its threshold. */
    private static final int LEAST_CALLS = 15;

    private final SqlSessionFactory factory;
    private final Map<Kind, Tally> tallies = new EnumMap<>(Kind.class);
    private final long end;

    private Burst(SqlSessionFactory factory, Duration length) {
        this.factory = factory;
        this.end = System.nanoTime() + length.toNanos();
        for (Kind kind : Kind.values()) {
            tallies.put(kind, new Tally());
        }
    }

    /** What becomes of it all. */
    static Map<Kind, Tally> run(SqlSessionFactory factory, Duration length) throws InterruptedException, ExecutionException {
        Burst burst = new Burst(factory, length);
        ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
        try {
            List<Future<?>> clients = new ArrayList<>();
            burst.start(Kind.REPORT, REPORT_CLIENTS, threads, clients);
            burst.start(Kind.VIEW, VIEW_CLIENTS, threads, clients);
            burst.start(Kind.EXPORT, EXPORT_CLIENTS, threads, clients);
            burst.start(Kind.INNOCENT, INNOCENT_CLIENTS, threads, clients);
            for (Future<?> client : clients) {
                client.get();
            }
        } finally {
            threads.shutdownNow();
        }
        return burst.tallies;
    }

    private void start(Kind kind, int number, ExecutorService threads, List<Future<?>> clients) {
        for (int i = 0; i < number; i++) {
            clients.add(threads.submit(() -> {
                send(kind);
                return null;
            }));
        }
    }

    private void send(Kind kind) throws InterruptedException {
        for (int calls = 0; calls < LEAST_CALLS || System.nanoTime() < end; calls++) {
            long begin = System.nanoTime();
            Outcome outcome = outcome(kind);
            tallies.get(kind).add(outcome, System.nanoTime() - begin);
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
        }
    }

    /** All that a program has to know of the plugin: what it throws where it aborts. */
    private Outcome outcome(Kind kind) {
        try (SqlSession session = factory.openSession(true)) {
            return kind.send(session.getMapper(ShopMapper.class));
        } catch (PersistenceException e) {
            if (ProtectionAbortException.in(e).isPresent()) {
                return Outcome.ABORTED;
            }
            throw e;
        }
    }
}
