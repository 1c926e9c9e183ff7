package com.jd.sword.sqlthrottle;

import java.util.List;

/**
 * A text of {@link Statements} that the native library keeps: who keeps it too, for as long as the text is used, spares each check the
 * look-up. Any number of threads may use one. It is never out of date: where rules have changed, its next check goes by the new ones.
 */
public final class KnownStatement extends TextHolder {
    private final Checker checker;

    KnownStatement(Checker checker, NativePrepared prepared) {
        super(checker, prepared);
        this.checker = checker;
    }

    /**
     * Decides as {@link Statements#checkOrPass}.
     *
     * @throws IllegalStateException the throttle is closed
     */
    public Decision checkOrPass(Fakes fakes, int weight, StatementContext context, List<String> parameters) {
        return checker.checkOrPass(prepared(), null, 0, Statements.encoded(context, parameters), fakes.number(), weight);
    }

    /**
     * What is to be stood in for when it is ignored, as {@link Statements#faked} says.
     *
     * @throws IllegalStateException the throttle is closed
     */
    public Fakes faked() {
        return prepared().faked();
    }
}
