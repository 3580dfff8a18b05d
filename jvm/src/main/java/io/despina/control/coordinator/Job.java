package io.despina.control.coordinator;

import io.despina.control.assembly.JobPlan;
import io.despina.control.members.Environment;
import io.despina.control.members.Lease;
import io.despina.control.members.Member;
import io.despina.control.protocol.PoisonRecord;
import io.despina.control.protocol.Refusal;
import io.despina.operator.Reason;
import io.despina.spec.OnError;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * A user's job: a series of attempts, one after the other. A job that may be restarted goes on with the next attempt when one has
 * failed, as its {@link RestartPolicy} decides; any other ends with its first. Thread-safe; no call blocks.
 *
 * <p>Locks are taken in this order: the one of an attempt, then this job's. So no attempt is called under the job's.
 */
final class Job {

    /** The rule of a refusal to go on with a job whose last epoch is committed. */
    static final String ALREADY_ENDED = "state_ended";
    /** Characters. */
    private static final int LONGEST_WARNING = 300;

    /** Begins the next attempt of a job. May block, as for resources that are started. */
    interface Next {
        void begin(Job job) throws Refusal;
    }

    /**
     * What makes the attempts.
     *
     * @param submission from which each starts
     * @param planned    which is the same for all
     * @param policy     null for a job that ends with its first attempt
     */
    record Course(Submission submission, JobPlan planned, RestartPolicy policy, Moves moves, StartTimes start) {
    }

    private final Course course;
    private final Environment environment;
    private final Next next;
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    /** The latest; null before the first. Written under the lock. */
    private volatile JobAttempt attempt;

    private final FullSurvivors full = new FullSurvivors(this::nanos);

    // guarded by this
    private final RestartTimes times = new RestartTimes();
    private RestartPolicy.History history = RestartPolicy.History.NONE;
    /** The failed attempt that the current one replaces, or will; null for none. */
    private JobAttempt failed;
    /** The last failed one whose counters are those of the job; null for none. */
    private JobAttempt counted;
    /** Why the next attempt could not begin; null otherwise. */
    private Refusal refused;
    /** The next attempt, until it is due; null otherwise. */
    private Future<?> due;
    /** Since when it has run; 0 before. */
    private long firstRunNanos;
    /** Once a user has stopped it. */
    private String stopMode;
    /** The savepoint that was asked for last; null for none. */
    private SavepointCopy copy;
    /** Whether the last attempt was lost when nothing was left to do but to say so. */
    private boolean wasDone;
    /** Completes when an attempt runs, or the job has ended. */
    private CompletableFuture<JobAttempt> runs = new CompletableFuture<>();

    Job(Course course, Environment environment, Next next) {
        this.course = course;
        this.environment = environment;
        this.next = next;
    }

    private long nanos() {
        return environment.clock().getAsLong();
    }

    String id() {
        return attempt.attempt().job();
    }

    Course course() {
        return course;
    }

    /** The latest. */
    JobAttempt attempt() {
        return attempt;
    }

    Exchange exchange() {
        return attempt.exchange();
    }

    /** Completes when it is done, failed, stopped or incomplete, and no attempt follows. */
    CompletableFuture<Void> ended() {
        return ended;
    }

    /** Completes when an attempt runs, with that one; or when the job has ended, with its last. */
    synchronized CompletableFuture<JobAttempt> running() {
        return runs;
    }

    /** For how long attempts run, if for a limited time, and how they end. */
    private synchronized AttemptTerm term() {
        boolean isReplaced = course.policy != null;
        long all = course.submission.options().durationMillis();
        if (firstRunNanos == 0) {
            return new AttemptTerm(isReplaced, all, course.submission.options().warmUpMillis());
        }
        long gone = TimeUnit.NANOSECONDS.toMillis(nanos() - firstRunNanos);
        return new AttemptTerm(isReplaced, all == 0 ? 0 : Math.max(1, all - gone), 0);
    }

    /**
     * The attempt before has ended, and this one is about to be deployed.
     *
     * @param lease of its resources, kept until the next attempt has its own; null for none
     */
    void begin(JobAttempt made, Lease lease) {
        made.begin(lease, term());
        JobAttempt before;
        String stopped;
        synchronized (this) {
            before = attempt;
            attempt = made;
            refused = null;
            stopped = stopMode;
            times.claimed(nanos());
        }
        if (before != null) {
            made.exchange().goOnFrom(before.exchange());
            release(before);
        }
        made.begun().thenRun(() -> begun(made));
        made.ended().thenRun(() -> over(made));
        if (stopped != null) {
            made.stop(stopped);
        }
    }

    private void begun(JobAttempt made) {
        if (made.status().state() != JobState.RUNNING) {
            return;
        }
        CompletableFuture<JobAttempt> waiting;
        synchronized (this) {
            times.deployed(nanos());
            firstRunNanos = firstRunNanos == 0 ? nanos() : firstRunNanos;
            waiting = runs;
        }
        waiting.complete(made);
    }

    private void over(JobAttempt last) {
        JobStatus end = last.status();
        if (end.state() == JobState.FAILED && course.policy != null) {
            goOn(last, end.error());
        } else {
            finish();
        }
    }

    /**
     * @param last the attempt that has failed; null if the next could not begin
     * @param why  the one or the other
     */
    private void goOn(JobAttempt last, Refusal why) {
        boolean goesOn;
        boolean movedOn = last != null && hasMovedOn(last);
        boolean hasCounted = last != null && last.status().hasCounted();
        boolean wasFull = last != null && full.note(last.planned().deployment().losses().moved(), why);
        synchronized (this) {
            RestartPolicy.Reaction reaction = course.policy.after(history,
                    new RestartPolicy.Failure(nanos(), why, firstRunNanos != 0, last == null || last.epochs().kept().goesOn(),
                            movedOn, skips(why.operator()), wasFull));
            goesOn = stopMode == null && reaction instanceof RestartPolicy.Again;
            counted = hasCounted || counted == null ? last : counted;
            if (goesOn) {
                restartsIn(last, (RestartPolicy.Again) reaction);
            } else if (reaction instanceof RestartPolicy.GivenUp end && end.why() != why) {
                refused = end.why();
            }
        }
        if (!goesOn) {
            finish();
        }
    }

    private static boolean hasMovedOn(JobAttempt attempt) {
        EpochStatus epochs = attempt.status().epochs();
        return epochs != null && epochs.complete() > epochs.restoredFrom();
    }

    private boolean skips(String operator) {
        return course.planned.plan().operators().stream()
                .anyMatch(each -> each.id().equals(operator) && each.onError() != OnError.FAIL);
    }

    /** Who had no room for a second part. */
    FullSurvivors full() {
        return full;
    }

    /** The records that the next attempt leaves out. */
    synchronized List<PoisonRecord> poison() {
        return history.poison();
    }

    private void restartsIn(JobAttempt last, RestartPolicy.Again again) {
        if (again.history().poison().size() > history.poison().size()) {
            System.err.println("despina: warning: a record goes by `on_error`, because attempt after attempt failed on it: "
                    + Reason.shortened(again.history().repeated().getMessage(), LONGEST_WARNING));
        }
        history = again.history();
        if (last != null) {
            failed = last;
            times.lost(last.failedNanos(), environment.wall().getAsLong(), nanos());
            runs = runs.isDone() ? new CompletableFuture<>() : runs;
        }
        due = environment.timer().schedule(() -> environment.aside().execute(this::again), again.afterMillis(),
                TimeUnit.MILLISECONDS);
    }

    private void again() {
        synchronized (this) {
            if (due == null) {
                return;     // it was stopped
            }
            due = null;
        }
        try {
            next.begin(this);
        } catch (Refusal | RuntimeException why) {
            Refusal reason = Refusal.of(why);
            boolean done = reason.rule().equals(ALREADY_ENDED);
            synchronized (this) {
                refused = reason;
                wasDone = done;
            }
            if (done) {
                finish();
            } else {
                goOn(null, reason);
            }
        }
    }

    private static void release(JobAttempt over) {
        if (over.lease() != null) {
            over.lease().release();
        }
    }

    private void finish() {
        JobAttempt last = attempt;
        CompletableFuture<JobAttempt> waiting;
        synchronized (this) {
            waiting = runs;
        }
        release(last);
        last.epochs().kept().release().thenRun(() -> ended.complete(null)).thenRun(() -> waiting.complete(last));
    }

    /** @param mode one of {@link io.despina.control.protocol.Message.Stop#MODES} */
    void stop(String mode) {
        boolean waits;
        synchronized (this) {
            stopMode = ended.isDone() ? stopMode : mode;
            waits = due != null;
            if (waits) {
                due.cancel(false);
                due = null;
            }
        }
        if (waits) {
            finish();
        } else {
            attempt.stop(mode);
        }
    }

    /**
     * Writes a savepoint, and with a way to stop, stops: then of the last epoch.
     *
     * @param mode one of {@link io.despina.control.protocol.Message.Stop#MODES}; null to go on
     */
    void savepoint(SavepointCopy wanted, String mode) throws Refusal {
        JobAttempt last;
        synchronized (this) {
            if (copy != null && !copy.done().isDone()) {
                throw new Refusal(SavepointCopy.RULE, "a savepoint of job " + id() + " is being written, to " + copy.address(),
                        "wait until it is there");
            }
            copy = wanted;      // whoever is refused completes it
            last = attempt;
        }
        last.savepoint(wanted);
        if (mode != null) {
            stop(mode);
        }
    }

    /** The last that was asked for; null for none. */
    synchronized SavepointCopy savepoint() {
        return copy;
    }

    /** See {@link JobAttempt#lost}. */
    void lost(Member member, Refusal why) {
        attempt.lost(member, why);
    }

    /** See {@link JobAttempt#explained}. */
    void explained(Member member, Refusal before, Refusal better) {
        JobAttempt earlier;
        synchronized (this) {
            earlier = failed;
        }
        if (earlier != null) {
            earlier.explained(member, before, better);
        }
        attempt.explained(member, before, better);
    }

    /** Of its latest attempt, unless that is only a part of the story. */
    JobStatus status() {
        JobStatus now = attempt.status();
        JobAttempt before;
        Refusal why;
        boolean stopped;
        boolean done;
        synchronized (this) {
            done = wasDone;
            before = counted;
            why = refused;
            stopped = stopMode != null;
        }
        if (course.policy == null) {
            return now;
        }
        JobStatus shown = now.hasCounted() || before == null ? now : now.counted(before.status());
        if (ended.isDone()) {
            boolean isLast = now.state() != JobState.FAILED || !stopped && why == null;
            return isLast ? shown : done ? shown.as(JobState.DONE, null)
                    : stopped ? shown.as(JobState.STOPPED, null) : shown.as(JobState.FAILED, why);
        }
        boolean runs = now.error() == null && (now.state() != JobState.DEPLOYING || before == null);
        return runs ? shown : shown.as(JobState.RESTARTING, null);
    }

    /** Null for a job that was never restarted. */
    Restarts restarts() {
        JobAttempt earlier;
        Refusal why;
        RestartTimes.Spent spent;
        synchronized (this) {
            earlier = failed;
            why = refused;
            spent = times.spent(nanos());
        }
        return earlier == null ? null : new Restarts(spent, why != null ? why : earlier.status().error());
    }

    /**
     * @param spent on the last restart
     * @param why   it came
     */
    record Restarts(RestartTimes.Spent spent, Refusal why) {
    }
}
