package com.jd.sword.sqlthrottle;

import com.jd.sword.sqlthrottle.jdbc.ThrottledConnectionPoolDataSource;
import com.jd.sword.sqlthrottle.jdbc.ThrottledDataSource;
import com.jd.sword.sqlthrottle.jdbc.ThrottledXADataSource;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import javax.sql.ConnectionPoolDataSource;
import javax.sql.DataSource;
import javax.sql.XADataSource;

/**
 * Decides which statements may be sent now. Any number of threads may use one at a time.
 *
 * <pre>{@code
 * try (Throttle throttle = Throttle.open(Paths.get("sqlthrottle.yml"))) {
 *     try (Guard guard = throttle.guard(sql)) {
 *         run(sql);
 *     }
 * }
 * }</pre>
 *
 * <p>A check takes some hundred nanoseconds of a statement that was seen before, and does no I/O, except where a rule has
 * {@code scope: cluster}, and where a {@link ThresholdProvider} is asked for the first time. Texts are any texts: what is no SQL has a
 * decision too. Null is refused with {@link NullPointerException} throughout.
 *
 * <p>A throttle that was opened with a file looks for changes of that in a daemon thread, as often as the file's {@code watch} says. Once
 * {@linkplain #close closed}, it throws {@link IllegalStateException}.
 */
public final class Throttle implements AutoCloseable {
    private final Checker checker;
    private final Statements statements;
    /** None where there is nothing to look after. */
    private final List<Refresher> refreshers;

    Throttle(Checker checker, List<Refresher> refreshers) {
        this.checker = checker;
        this.statements = checker.statements(null);
        this.refreshers = refreshers;
    }

    /**
     * A throttle with the rules of a file.
     *
     * @throws SqlThrottleException the file cannot be read, or has faults: the message names all of them
     */
    public static Throttle open(Path ruleFile) {
        return builder().ruleFile(ruleFile).open();
    }

    /**
     * A throttle with rules: the text of a rule file, in which <code>${NAME}</code> stands for a variable of the environment.
     *
     * @throws SqlThrottleException the rules have faults: the message names all of them
     */
    public static Throttle of(String rules) {
        return builder().rules(rules).open();
    }

    /** A throttle of which more is to be said. */
    public static ThrottleBuilder builder() {
        return new ThrottleBuilder();
    }

    /**
     * Decides on a statement, in the {@link AmbientContext} where there is one. It can fake nothing, so what is to be ignored is
     * aborted. What is allowed is to be given back: {@link #release}.
     */
    public Decision check(String sql) {
        StatementContext ambient = AmbientContext.current();
        // Which says nothing of one statement, and so fakes nothing and weighs 1.
        return ambient == null ? statements.check(sql, null, 0, 1, 0) : check(sql, ambient, 0);
    }

    /** Decides on a statement in a context, and where that does not say, in the {@link AmbientContext}. */
    public Decision check(String sql, StatementContext context) {
        return check(sql, context.withDefaults(AmbientContext.current()), 0);
    }

    /**
     * Whether a statement may be sent now, for a caller that does nothing but send it or not. It counts as one that is sent, except that the
     * places of concurrency limits are given back at once: where rules have such, {@link #guard(String)} keeps them while the statement
     * runs. A statement that would have to wait is not allowed, and one that would be ignored neither. Makes no garbage for a statement
     * that was seen before.
     */
    public boolean isAllowed(String sql) {
        StatementContext ambient = AmbientContext.current();
        return ambient == null ? statements.isAllowed(sql, null, 0, 1) : isAllowedIn(sql, ambient);
    }

    /** The same in a context, and where that does not say, in the {@link AmbientContext}. */
    public boolean isAllowed(String sql, StatementContext context) {
        return isAllowedIn(sql, context.withDefaults(AmbientContext.current()));
    }

    /**
     * Decides on a request, by the rules that say {@code on: request}: for gateways and web filters, which know who asks and not yet what
     * for.
     *
     * @param context who asks; {@link StatementContext#empty()} for nobody known
     */
    public Decision checkRequest(StatementContext context) {
        return checker.checkRequest(context.withDefaults(AmbientContext.current()).encoded(), 0);
    }

    /**
     * Waits, where it has to, until a statement may be sent. The thread sleeps without a monitor, so a virtual one leaves its carrier.
     *
     * @throws SqlThrottledException it may not be sent: it is aborted, or to be ignored
     * @throws InterruptedException the thread was interrupted while it waited; nothing is held then
     */
    public Guard guard(String sql) throws SqlThrottledException, InterruptedException {
        return Guard.await(checker, check(sql));
    }

    /**
     * The same in a context, and where that does not say, in the {@link AmbientContext}.
     *
     * @throws SqlThrottledException it may not be sent: the decision says whether it is aborted or to be ignored
     * @throws InterruptedException the thread was interrupted while it waited; nothing is held then
     */
    public Guard guard(String sql, StatementContext context) throws SqlThrottledException, InterruptedException {
        return Guard.await(checker, check(sql, context));
    }

    /**
     * Waits without a thread until a statement may be sent. The check itself is made at once, in this thread, which it does not block; what
     * waits goes on in the common pool.
     *
     * <p>The future fails with {@link SqlThrottledException} where the statement may not be sent. One that is cancelled holds nothing.
     */
    public CompletableFuture<Guard> guardAsync(String sql) {
        return guardAsync(sql, StatementContext.empty(), null);
    }

    /** The same in a context, and where that does not say, in the {@link AmbientContext} of this thread. */
    public CompletableFuture<Guard> guardAsync(String sql, StatementContext context) {
        return guardAsync(sql, context, null);
    }

    /**
     * The same by another executor than the common pool.
     *
     * @param scheduler where what waits goes on; it may block there where a rule asks a cluster. Null for the common pool
     */
    public CompletableFuture<Guard> guardAsync(String sql, StatementContext context, ScheduledExecutorService scheduler) {
        Objects.requireNonNull(sql, "sql");
        StatementContext whole = context.withDefaults(AmbientContext.current());
        return PendingGuard.start(checker, scheduler, flags -> check(sql, whole, flags));
    }

    /** Reads a statement once that is going to be checked many times. */
    public PreparedCheck prepare(String sql) {
        return prepare(sql, StatementContext.empty());
    }

    /** The same with a context and all else that every check of it is to go by. */
    public PreparedCheck prepare(String sql, StatementContext context) {
        return new PreparedCheck(checker, checker.statements(context.dialect()), Objects.requireNonNull(sql, "sql"), context);
    }

    /**
     * Decides on a statement whose wait is over. Its first check has counted it; the other rules are asked again. It may be refused, and it
     * may have to wait on.
     *
     * @param delayed a decision that says {@link Verdict#DELAY}. It is good for one call, until five seconds after it was due; a later call
     *     is answered with {@link Verdict#ABORT}
     * @return for any other decision, that decision
     */
    public Decision resume(Decision delayed) {
        long ticket = delayed.ticket();
        return ticket == 0 ? delayed : checker.resume(ticket, 0);
    }

    /**
     * Gives back what a statement held while it ran. To be called for every decision that {@linkplain Decision#isAllowed allows} one, once it
     * has ended, however it has. Harmless otherwise, and never throws: a second time, too late, or after {@link #close}.
     *
     * @return whether there was something to give back
     */
    public boolean release(Decision decision) {
        return checker.release(decision);
    }

    /**
     * Ends the wait of a statement that will not be {@linkplain #resume resumed}, because whoever asked has gone: another may wait in its
     * place at once, and not only five seconds after it was due. What its first check has counted stays counted. Harmless otherwise, and
     * never throws: a second time, too late, for a decision that does not delay, or after {@link #close}.
     *
     * @return whether there was a wait to end
     */
    public boolean giveUp(Decision delayed) {
        return checker.giveUp(delayed);
    }

    /**
     * Takes note of how long a statement took to run, for {@link #top}.
     *
     * @param decision its decision; one without a fingerprint is passed over
     */
    public void recordDuration(Decision decision, Duration duration) {
        if (decision.digest() != null) {
            checker.engine().recordDuration(decision.digest(), Nanos.of(duration));
        }
    }

    /**
     * The same by a fingerprint.
     *
     * @param fingerprint its hexadecimal digits
     * @throws IllegalArgumentException the fingerprint is none
     */
    public void recordDuration(String fingerprint, Duration duration) {
        checker.engine().recordDuration(Digest.parse(fingerprint), Nanos.of(duration));
    }

    /**
     * Puts other rules in force, all of them at once: no check sees half of two sets. What has been counted follows a rule's name, kind of
     * limit and {@code per}.
     *
     * @param rules the text of a rule file
     * @return the version of the set in force, which grows by one with every change
     * @throws SqlThrottleException the rules have faults; those before stay in force
     */
    public long reload(String rules) {
        long version = checker.engine().reload(rules, false);
        checker.rulesChanged();
        return version;
    }

    /**
     * The same with the rules of a file. {@link #refresh} and the thread that watches still look at the one that the throttle was opened with.
     *
     * @return the version of the set in force
     * @throws SqlThrottleException the file cannot be read, or has faults; the rules before stay in force
     */
    public long reload(Path ruleFile) {
        long version = checker.engine().reload(ThrottleBuilder.nameOf(ruleFile), true);
        checker.rulesChanged();
        return version;
    }

    /**
     * Looks whether the file that the throttle was opened with has changed, and if so puts its rules in force. A thread does so by itself,
     * unless {@link ThrottleBuilder#refresh} says otherwise.
     *
     * @return whether it has changed
     * @throws SqlThrottleException the file cannot be read, or has faults; the rules before stay in force
     */
    public boolean refresh() {
        return checker.refresh();
    }

    /**
     * Puts the throttle in order in a JVM that was restored from a checkpoint, of which others may be restored too: rules and what they
     * have counted stay, while permits and tickets from before mean nothing, and the places that they held are free. To be called once,
     * before anything is checked again, such as by {@code afterRestore} of CRaC.
     */
    public void afterRestore() {
        checker.engine().afterFork();
    }

    /**
     * Does what an admin statement asks for: {@code SET GLOBAL sql_throttle_add_rule = '…'}, {@code SET GLOBAL sql_throttle_remove_rule =
     * 'NAME'} or {@code SHOW GLOBAL sql_throttle_rules}. For an administrator alone: never pass on what an application sends.
     *
     * @return JSON: {@code {"added": NAME}}, {@code {"removed": NAME}}, or {@code {"version": …, "rules": […], "removed": […]}} as in
     *     {@link #snapshot}
     * @throws SqlThrottleException it is no such statement, or has faults; nothing has changed then
     */
    public String admin(String statement) {
        String answer = checker.engine().admin(statement);
        checker.rulesChanged();
        return answer;
    }

    /**
     * What has been done so far, as JSON: {@code version}, {@code rules}, {@code removed}, {@code shapes}, {@code waiting}, {@code waits},
     * {@code wait_seconds}, {@code provider_failures}, {@code cluster_failures} and {@code guard_errors}; docs/semantics.md says what the
     * counters of a rule count.
     */
    public String snapshot() {
        return checker.engine().snapshot();
    }

    /** The counters as Prometheus text. */
    public String metrics() {
        return checker.engine().metrics();
    }

    /**
     * The statements at the top, as JSON: {@code {"by_count": […], "by_time": […]}}, of objects with {@code fingerprint},
     * {@code normalized}, {@code count} and {@code seconds}. For people and dashboards: it looks at everything that is remembered.
     *
     * @param most how many of each
     * @throws IllegalArgumentException {@code most} is negative
     */
    public String top(int most) {
        if (most < 0) {
            throw new IllegalArgumentException("a list has no " + most + " entries");
        }
        return checker.engine().top(most);
    }

    /** The fingerprint of a statement, as hexadecimal digits. A decision has that of its statement already. */
    public String fingerprint(String sql) {
        return fingerprint(sql, null);
    }

    /** The same by another dialect than the rule file's; null for that. */
    public String fingerprint(String sql, Dialect dialect) {
        return Utf8.decode(checker.engine().fingerprint(Utf8.encode(sql), Dialect.number(dialect)), 1);
    }

    /** The normalised text of a statement: what its fingerprint is the hash of. People may see it: no byte of a constant is in it. */
    public String normalize(String sql) {
        return normalize(sql, null);
    }

    /** The same by another dialect than the rule file's; null for that. */
    public String normalize(String sql, Dialect dialect) {
        return Utf8.decode(checker.engine().normalize(Utf8.encode(sql), Dialect.number(dialect)), 1);
    }

    /**
     * The statements of a dialect, for integrations.
     *
     * @param dialect null for that of the rule file
     */
    public Statements statements(Dialect dialect) {
        return checker.statements(dialect);
    }

    /**
     * A source of connections whose statements are checked here. {@link ThrottledDataSource#builder} says more of how; closing the source
     * does not close this throttle.
     *
     * @param target where the connections come from
     */
    public DataSource wrap(DataSource target) {
        return ThrottledDataSource.of(target, this);
    }

    /**
     * The same of connections that take part in distributed transactions. By another name, as the sources of several drivers are of both
     * kinds.
     */
    public XADataSource wrapXA(XADataSource target) {
        return ThrottledXADataSource.of(target, this);
    }

    /** The same of connections that a pool keeps, for the same reason by a name of its own. */
    public ConnectionPoolDataSource wrapPooled(ConnectionPoolDataSource target) {
        return ThrottledConnectionPoolDataSource.of(target, this);
    }

    /** Whether it is closed. */
    public boolean isClosed() {
        return checker.engineIfOpen() == null;
    }

    /**
     * Runs an action when this throttle is closed, or at once where it is, in the thread that closes it: integrations end the waits of
     * their statements by it. It is to be quick, and to throw nothing.
     *
     * @return what takes it back, once there is nothing to end any more
     */
    public Runnable onClose(Runnable action) {
        return checker.onClose(Objects.requireNonNull(action, "action"));
    }

    /**
     * Closes the throttle: its threads end, and every later call throws {@link IllegalStateException}, except this one, {@link #release},
     * {@link #giveUp}, {@link #onClose} and {@link #isClosed}. What waits is told so at once; guards that are open may be closed afterwards.
     * The native memory is freed once no call uses it any more.
     */
    @Override
    public void close() {
        checker.close();
        refreshers.forEach(Thread::interrupt);
    }

    /** For what goes into this package's other front doors. */
    Checker checker() {
        return checker;
    }

    private Decision check(String sql, StatementContext whole, int flags) {
        return statements(whole).check(sql, whole.encoded(), whole.fakes().number(), whole.weight(), flags);
    }

    private boolean isAllowedIn(String sql, StatementContext whole) {
        return statements(whole).isAllowed(sql, whole.encoded(), whole.fakes().number(), whole.weight());
    }

    private Statements statements(StatementContext context) {
        return context.dialect() == null ? statements : checker.statements(context.dialect());
    }
}
