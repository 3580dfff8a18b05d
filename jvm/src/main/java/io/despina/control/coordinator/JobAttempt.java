package io.despina.control.coordinator;

import io.despina.control.assembly.JobPlan;
import io.despina.control.members.Environment;
import io.despina.control.members.Lease;
import io.despina.control.members.Member;
import io.despina.control.protocol.Message;
import io.despina.control.protocol.Refusal;
import io.despina.link.Attempt;
import io.despina.spec.ControlAnswer;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Directs one attempt of a job: it deploys until every member is ready, runs until every one has settled, and drains in between
 * if it is stopped. Then its {@link EpochDriver} has a last epoch committed, and every member finishes. A failure before that
 * ends it everywhere, and nothing more is committed. Several threads call it; each method holds its lock, and none blocks.
 */
final class JobAttempt {
    private final Attempt attempt;
    private final JobPlan planned;
    private final JobOutline outline;
    private final Submission submission;
    private final Environment environment;
    private final Exchange exchange;
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private final CompletableFuture<Void> begun = new CompletableFuture<>();
    private volatile Lease lease;     // null before resources are asked for
    private AttemptTerm term;         // written before it is deployed

    // all below: guarded by this; iterated collections are ordered, so that a simulation replays exactly
    private final Set<Member> members = new LinkedHashSet<>();
    private final Set<Member> waitingFor = new LinkedHashSet<>();
    private final Set<Member> unexplained = new LinkedHashSet<>();     // lost ones of which more will be known
    private final AttemptEnd end = new AttemptEnd();
    private EpochDriver epochs;
    private final CounterCollection counters;
    private final Map<String, Long> pids = new LinkedHashMap<>();
    private final Deadlines deadlines;
    private JobState state = JobState.DEPLOYING;
    private final AttemptTimes times;
    private long failedNanos;

    JobAttempt(Attempt attempt, JobPlan planned, Submission submission, Environment environment) {
        this.attempt = attempt;
        this.planned = planned;
        outline = JobOutline.of(planned);
        this.submission = submission;
        this.environment = environment;
        term = AttemptTerm.of(submission.options());
        deadlines = new Deadlines(environment.timer());
        counters = new CounterCollection(attempt, nanos());
        times = new AttemptTimes(environment, submission.startedAtMillis());
        exchange = new Exchange(attempt, planned, submission, environment);
        exchange.controls().by(this::control);
        keepIn(KeptEpochs.inMemory(attempt));
    }

    /** Before it is deployed: where its epochs are kept, if not in memory. */
    void keepIn(KeptEpochs where) {
        epochs = new EpochDriver(this, where, environment);
        exchange.moves(new BucketMoves(planned, where.begin().changed().buckets(), this::locked, epochs::still));
    }

    EpochDriver epochs() {
        return epochs;
    }

    private long nanos() {
        return environment.clock().getAsLong();
    }

    Attempt attempt() {
        return attempt;
    }

    JobPlan planned() {
        return planned;
    }

    JobOutline outline() {
        return outline;
    }

    Submission submission() {
        return submission;
    }

    Exchange exchange() {
        return exchange;
    }

    void begin(Lease given, AttemptTerm until) {
        lease = given;
        term = until;
    }

    Lease lease() {
        return lease;
    }

    synchronized long failedNanos() {
        return failedNanos;
    }

    /** Completes when it runs, or has ended before. */
    CompletableFuture<Void> begun() {
        return begun;
    }

    CompletableFuture<Void> ended() {
        return ended;
    }

    synchronized List<Member> members() throws Refusal {
        if (state.isEnd()) {
            throw end.error() != null ? end.error()
                    : new Refusal("state", attempt + " is " + state.word() + ", not running", null);
        }
        return List.copyOf(members);
    }

    synchronized void deploy(Map<Member, ? extends Message.OfJob> parts) {
        if (state != JobState.DEPLOYING) {
            return;
        }
        Refusal lost = parts.keySet().stream().map(Member::lost).filter(why -> why != null).findFirst().orElse(null);
        if (lost != null) {     // after it joined, before this job was known to need it
            fail(lost);
            return;
        }
        members.addAll(parts.keySet());
        waitingFor.addAll(members);
        parts.forEach(Member::send);
    }

    synchronized void received(Member from, Message.OfJob message) {
        if (!message.attempt().equals(attempt)) {
            // the message is about an ended attempt, whose remains there must end
            from.send(new Message.Forget(message.attempt()));
        } else if (message instanceof Message.Ready || message instanceof Message.Adopted) {
            ready(from, message);
        } else if (message instanceof Message.Counters answer) {
            counters.received(from, answer.counters());
            exchange.bad().add(answer.counters().moment().bad());
        } else if (message instanceof Message.Settled told && state != JobState.DEPLOYING) {
            end.settled(told);
            epochs.settled(from, told.cut());
        } else if (message instanceof Message.Finished finished) {
            end.leftBehind(from, finished.leftBehind());
            finished(from);
        } else if (message instanceof Message.Failed failed) {
            failed(outline.placed(new Refusal(failed.rule(), failed.message(), failed.hint()).about(failed.operator())
                    .on(failed.record()).in(from.name())));
        } else if (!epochs.received(from, message)) {
            exchange.received(from, message);
        }
    }

    private void failed(Refusal reason) {
        if (!reason.rule().equals(Message.Failed.CHANNEL)) {
            fail(reason);
        } else if (end.suspect(reason, nanos())) {
            failedNanos = nanos();
            // the resource at the other end will report a better reason, or turn out to be lost
            epochs.close();
            deadlines.add(() -> fail(reason), Deadlines.SUSPICION_MILLIS);
        }
    }

    /** A member was lost: fails the job if it needs the member. */
    synchronized void lost(Member member, Refusal why) {
        boolean needed = state == JobState.DEPLOYING ? members.contains(member) : waitingFor.contains(member);
        if (needed && !state.isEnd()) {
            if (!term.isReplaced()) {
                unexplained.add(member);
            }
            if (end.isFailedByLoss(term.isReplaced() && epochs.kept().areKept())) {
                fail(why);
            }
            finished(member);
        }
    }

    /** All is known of the loss of a member: then the job may end with the better reason. */
    synchronized void explained(Member member, Refusal before, Refusal better) {
        end.explain(before, better);
        if (unexplained.remove(member)) {
            endIfAllHave();
        }
    }

    private void ready(Member from, Message how) {
        Refusal no = how instanceof Message.Adopted answer ? epochs.kept().taken().answered(from, answer) : null;
        if (no != null) {
            fail(no);
        }
        // a job that is ending waits for every member's end, not for its readiness
        if (state != JobState.DEPLOYING || !waitingFor.remove(from) || !waitingFor.isEmpty()) {
            return;
        }
        state = JobState.RUNNING;
        times.measure(nanos());
        waitingFor.addAll(members);
        Optional<String> stop = TaskStart.of(attempt, epochs.kept(), epochs.schedules(), exchange, members);
        epochs.start(members);
        begun.complete(null);
        deadlines.addIfAny(this::measure, term.warmUpMillis());
        deadlines.addIfAny(this::endOfDuration, term.durationMillis());
        stop.ifPresent(this::stop);
    }

    private synchronized void measure() {
        if (state == JobState.RUNNING) {
            times.measure(nanos());
            members.forEach(m -> m.send(new Message.Measure(attempt)));
        }
    }

    void stop(String mode) {
        stop(mode, JobState.STOPPED);
    }

    private synchronized void stop(String mode, JobState as) {
        if (state.isEnd() || !end.mayStop()) {
            deadlines.add(exchange::letGo, submission.options().stopping().millis(mode));
            deadlines.add(this::timeUp, end.leaveMillis(submission.options().stopping().millis(mode)));
            deadlines.add(this::cutLastEpoch, Deadlines.letGoMillis(mode));
            return;
        }
        exchange.stop();
        boolean wasDeploying = state == JobState.DEPLOYING;
        boolean now = wasDeploying || mode.equals(Message.Stop.NOW);
        long drain = submission.options().stopping().millis(now ? Message.Stop.NOW : mode);
        Message.Stop stop = new Message.Stop(attempt, now ? Message.Stop.NOW : mode, drain);
        end.stop(as, stop.mode(), nanos() + TimeUnit.MILLISECONDS.toNanos(drain));
        if (wasDeploying && members.isEmpty()) {
            end();
            return;
        }
        state = JobState.DRAINING;
        waitingFor.addAll(wasDeploying ? members : Set.of());
        if (now && epochs.abandons()) {
            return;
        }
        exchange.given().whenDrained(() -> members.forEach(m -> m.send(stop)));
        deadlines.add(this::timeUp, drain + Deadlines.SETTLE_MILLIS);
    }

    /** What a job that keeps its state has not committed by now, its next run commits. */
    private synchronized void timeUp() {
        if (!end.isAbandoned() && (!end.leaves(epochs.uncommitted()) || !epochs.abandons())) {
            end();
        }
    }

    private synchronized void endOfDuration() {
        if (state == JobState.RUNNING) {     // else it was stopped before
            stop(submission.options().stopping().mode(), JobState.DONE);
        }
    }

    /** At once: what another run can do is not waited for. */
    private synchronized void cutLastEpoch() {
        if (epochs.kept().areKept() && !state.isEnd() && end.cutsLast(nanos())) {
            epochs.abandons();
        }
    }

    /** What its epochs have come to. With its lock. */
    void ends(EpochDriver.Ending how) {
        switch (how) {
            case BEGINS -> {
                end.lastBegins();
                deadlines.cancel();
                long drain = submission.options().stopping().drainMillis();
                deadlines.add(this::timeUp, end.commitMillis(epochs.kept().areKept(), drain));
                deadlines.add(exchange::letGo, end.letGoMillis(drain));
            }
            case COMMITTED -> {
                end.conclude();
                waitingFor.forEach(m -> m.send(new Message.Conclude(attempt, end.isWhole(epochs.kept().areKept()))));
            }
            case ABANDONED -> {
                end.abandon();
                waitingFor.forEach(m -> m.send(new Message.Stop(attempt, Message.Stop.ABORT, 0)));
                deadlines.add(this::end, Deadlines.END_MILLIS);
            }
        }
    }

    synchronized void savepoint(SavepointCopy wanted) throws Refusal {
        epochs.savepoint(wanted);
    }

    synchronized void locked(Runnable action) {
        action.run();
    }

    synchronized CompletableFuture<List<ControlAnswer>> control(Controls.Wanted wanted) throws Refusal {
        if (state != JobState.RUNNING) {
            throw new Refusal("state", attempt + " is " + state.word() + ", not running", state.hint());
        }
        return exchange.controls().tell(wanted, epochs.schedules(), members);
    }

    /** Ends the job everywhere, for the first reason given. */
    synchronized void fail(Refusal reason) {
        if (state.isEnd() || !end.fail(reason)) {
            return;
        }
        failedNanos = failedNanos == 0 ? nanos() : failedNanos;
        exchange.fail(term.isReplaced());
        epochs.close();
        // while it deploys, also wait for the end of members that were ready
        waitingFor.addAll(state == JobState.DEPLOYING ? members : Set.of());
        state = JobState.DRAINING;
        for (Member member : waitingFor) {
            member.send(new Message.Stop(attempt, Message.Stop.ABORT, 0));
        }
        deadlines.add(this::end, term.isReplaced() ? Deadlines.REPLACED_END_MILLIS : Deadlines.END_MILLIS);
        endIfAllHave();
    }

    private void finished(Member from) {
        waitingFor.remove(from);
        counters.finished(from);
        epochs.finished(from);
        endIfAllHave();
    }

    private void endIfAllHave() {
        if (waitingFor.isEmpty() && unexplained.isEmpty() && state != JobState.DEPLOYING) {
            epochs.ended(end.isWell(), this::end);
        }
    }

    private synchronized void end() {
        if (state.isEnd()) {
            return;
        }
        exchange.end();
        epochs.close();
        state = end.decide(waitingFor, submission.options().stopping().drainMillis(), counters.held());
        times.end(nanos());
        deadlines.cancel();
        members.forEach(m -> m.send(new Message.Forget(attempt)));
        members.forEach(m -> pids.put(m.name(), m.pid()));
        members.clear();
        waitingFor.clear();
        counters.end();
        begun.complete(null);
        ended.complete(null);
    }

    /**
     * Asks its members for their counters, unless it has just done so.
     *
     * @return completes when {@link #status} has the counters of all that still run
     */
    synchronized CompletableFuture<Void> count() {
        if (times.isMeasured() && !state.isEnd()) {
            counters.ask(waitingFor, nanos());
        }
        return counters.answered();
    }

    synchronized JobStatus status() {
        members.forEach(m -> pids.put(m.name(), m.pid()));
        return new JobStatus(state, end.error(), times.until(nanos()),
                counters.measurements(), new LinkedHashMap<>(pids), end.losses(),
                JobStatus.Deploying.of(state, lease, members.size(), waitingFor.size()), epochs.status());
    }
}
