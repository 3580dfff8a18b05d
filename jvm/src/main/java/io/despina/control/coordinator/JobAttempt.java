package io.despina.control.coordinator;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.despina.control.assembly.JobOptions;
import io.despina.control.assembly.JobPlan;
import io.despina.control.members.Environment;
import io.despina.control.members.Lease;
import io.despina.control.members.Member;
import io.despina.control.protocol.Message;
import io.despina.control.protocol.Refusal;
import io.despina.link.Attempt;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Directs one attempt of a job. It deploys until every member is ready, runs until every member has settled, and drains in
 * between if it is stopped. Then every member's sinks commit, and after all have committed, every member finishes. A failure
 * anywhere before that ends the attempt everywhere, and nothing more is committed. Several threads call it; each method holds
 * this object's lock, and none blocks.
 */
final class JobAttempt {
    /** How long members may take to end after a failure, before the job ends without them. */
    private static final long END_MILLIS = 5_000;
    /** The same after a drain, when sinks make their files durable. */
    private static final long SETTLE_MILLIS = 20_000;
    /** How long members may take to commit and to finish. */
    private static final long COMMIT_MILLIS = 60_000;
    /** How long to wait for a better reason for a broken channel. */
    private static final long SUSPICION_MILLIS = 2_000;

    private final Attempt attempt;
    private final JobOutline outline;
    private final Submission submission;
    private final JobOptions options;
    private final long startedAtMillis;     // of the wall clock
    private final Environment environment;
    private final long startedNanos;
    private final Exchange exchange;
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private final CompletableFuture<Void> begun = new CompletableFuture<>();
    /** Null before resources are asked for. */
    private volatile Lease lease;

    // all below: guarded by this; iterated collections are ordered, so that a simulation replays exactly
    private final Set<Member> members = new LinkedHashSet<>();
    private final Set<Member> waitingFor = new LinkedHashSet<>();
    /** Members that have settled, and members that have committed; a finished member counts as both. */
    private final Set<Member> settled = new LinkedHashSet<>();
    private final Set<Member> committed = new LinkedHashSet<>();
    private final List<String> leftBehind = new ArrayList<>();
    private final CounterCollection counters;
    private final Map<String, Long> pids = new LinkedHashMap<>();
    private final Deadlines deadlines;
    private JobState state = JobState.DEPLOYING;
    private JobState endState = JobState.DONE;
    private Refusal error;
    /** Set when a channel broke and the cause is still unknown. */
    private Refusal suspicion;
    /** While draining: the time from which packets in flight are dropped and channels may break. */
    private long abandonNanos;
    /** Whether a member had to cut its part short without being asked to. */
    private boolean cut;
    /** Whether a call demanded that it end at once. */
    private boolean atOnce;
    private long undelivered;
    private boolean committing;
    private boolean concluded;
    private long measuredFromNanos;
    private long endNanos;

    JobAttempt(Attempt attempt, JobPlan planned, Submission submission, Environment environment) {
        this.attempt = attempt;
        outline = JobOutline.of(planned);
        this.submission = submission;
        options = submission.options();
        startedAtMillis = attempt.number() == 1 ? options.startedAtMillis() : System.currentTimeMillis();
        this.environment = environment;
        deadlines = new Deadlines(environment.timer());
        counters = new CounterCollection(attempt, nanos());
        startedNanos = nanos() - TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis() - startedAtMillis);
        exchange = new Exchange(attempt, planned, submission);
    }

    private long nanos() {
        return environment.clock().getAsLong();
    }

    String id() {
        return attempt.job();
    }

    Attempt attempt() {
        return attempt;
    }

    JobOutline outline() {
        return outline;
    }

    Submission submission() {
        return submission;
    }

    long startedAtMillis() {
        return startedAtMillis;
    }

    Exchange exchange() {
        return exchange;
    }

    void lease(Lease given) {
        lease = given;
    }

    Lease lease() {
        return lease;
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
            throw error != null ? error : new Refusal("state", attempt + " is " + state.word() + ", not running", null);
        }
        return List.copyOf(members);
    }

    /** Deploys its part to every member. */
    synchronized void deploy(Map<Member, Message.Deploy> parts) {
        if (state != JobState.DEPLOYING) {
            return;
        }
        for (Member member : parts.keySet()) {
            if (member.lost() != null) {
                // it was lost after it joined, before this job was known to need it
                fail(member.lost());
                return;
            }
        }
        members.addAll(parts.keySet());
        waitingFor.addAll(members);
        parts.forEach(Member::send);
    }

    synchronized void received(Member from, Message.OfJob message) {
        if (!message.attempt().equals(attempt)) {
            // the message is about an ended attempt, whose remains there must end
            from.send(new Message.Forget(message.attempt()));
        } else if (message instanceof Message.Ready) {
            ready(from);
        } else if (message instanceof Message.Counters answer) {
            counters.received(from, answer.counters());
        } else if (message instanceof Message.Settled told) {
            settled(from, told);
        } else if (message instanceof Message.Committed) {
            committed.add(from);
            concludeIfAllHaveCommitted();
        } else if (message instanceof Message.Finished finished) {
            finished.leftBehind().forEach(path -> leftBehind.add(from.isOnThisMachine() ? path : from.name() + ":" + path));
            finished(from);
        } else if (message instanceof Message.Failed failed) {
            failed(outline.placed(new Refusal(failed.rule(), failed.message(), failed.hint()).about(failed.operator())));
        } else {
            exchange.received(from, message);
        }
    }

    private void failed(Refusal reason) {
        boolean ending = state == JobState.DRAINING && nanos() - abandonNanos >= 0;
        if (!reason.rule().equals(Message.Failed.CHANNEL)) {
            fail(reason);
        } else if (!ending && suspicion == null) {
            // the resource at the other end will report a better reason, or turn out to be lost
            suspicion = reason;
            deadlines.add(() -> fail(reason), SUSPICION_MILLIS);
        }
    }

    /** A member was lost: fails the job if it needs the member. */
    synchronized void lost(Member member, Refusal why) {
        boolean needed = state == JobState.DEPLOYING ? members.contains(member) : waitingFor.contains(member);
        if (needed && !state.isEnd()) {
            if (!concluded) {
                fail(why);
            }
            finished(member);
        }
    }

    private void ready(Member from) {
        // a job that is ending waits for every member's end, not for its readiness
        if (state != JobState.DEPLOYING || !waitingFor.remove(from) || !waitingFor.isEmpty()) {
            return;
        }
        state = JobState.RUNNING;
        measuredFromNanos = nanos();
        waitingFor.addAll(members);
        members.forEach(m -> m.send(new Message.Start(attempt)));
        exchange.start(members);
        begun.complete(null);
        if (options.warmUpMillis() > 0) {
            deadlines.add(this::measure, options.warmUpMillis());
        }
        if (options.durationMillis() > 0) {
            deadlines.add(this::endOfDuration, options.durationMillis());
        }
    }

    private synchronized void measure() {
        if (state == JobState.RUNNING) {
            measuredFromNanos = nanos();
            members.forEach(m -> m.send(new Message.Measure(attempt)));
        }
    }

    /** @param mode {@code drain}, {@code flush} or {@code now} */
    void stop(String mode) {
        stop(mode, JobState.STOPPED);
    }

    private synchronized void stop(String mode, JobState as) {
        if (state.isEnd() || error != null || committing || atOnce) {   // nothing softens an end at once
            return;
        }
        endState = as;
        exchange.stop();
        if (state == JobState.DEPLOYING && members.isEmpty()) {
            end();
            return;
        }
        boolean wasDeploying = state == JobState.DEPLOYING;
        state = JobState.DRAINING;
        if (wasDeploying) {
            waitingFor.addAll(members);
        }
        boolean now = wasDeploying || mode.equals(Message.Stop.NOW);
        atOnce |= now;
        long drain = now ? 0 : options.drainMillis();
        abandonNanos = nanos() + TimeUnit.MILLISECONDS.toNanos(drain);
        members.forEach(m -> m.send(new Message.Stop(attempt, now ? Message.Stop.NOW : mode, drain)));
        deadlines.add(this::end, drain + SETTLE_MILLIS);
    }

    private synchronized void endOfDuration() {
        if (state == JobState.RUNNING) {     // else it was stopped before
            stop("drain", JobState.DONE);
        }
    }

    private void settled(Member from, Message.Settled told) {
        cut |= told.cut() && !atOnce;
        undelivered += told.undelivered();
        settled.add(from);
        commitIfAllHaveSettled();
    }

    private void commitIfAllHaveSettled() {
        boolean whole = error == null && suspicion == null && state != JobState.DEPLOYING && settled.containsAll(members);
        if (!whole || committing) {
            return;
        }
        committing = true;
        deadlines.cancel();
        waitingFor.forEach(m -> m.send(new Message.Commit(attempt)));
        deadlines.add(this::end, COMMIT_MILLIS);
    }

    private void concludeIfAllHaveCommitted() {
        if (committing && !concluded && error == null && committed.containsAll(members)) {
            concluded = true;
            waitingFor.forEach(m -> m.send(new Message.Conclude(attempt, !cut && !atOnce)));
        }
    }

    synchronized void setSchedule(String operator, ObjectNode schedule) throws Refusal {
        if (state != JobState.RUNNING) {
            throw new Refusal("state", attempt + " is " + state.word() + ", not running", null);
        }
        outline.checkHasSchedule(operator);
        members.forEach(m -> m.send(new Message.SetSchedule(attempt, operator, schedule)));
    }

    /** Ends the job everywhere, for the first reason given. */
    synchronized void fail(Refusal reason) {
        if (state.isEnd() || error != null) {
            return;
        }
        error = reason;
        endState = JobState.FAILED;
        exchange.stop();
        if (state == JobState.DEPLOYING) {
            // also wait for the end of members that were ready
            waitingFor.addAll(members);
        }
        state = JobState.DRAINING;
        for (Member member : waitingFor) {
            member.send(new Message.Stop(attempt, Message.Stop.ABORT, 0));
        }
        deadlines.add(this::end, END_MILLIS);
        endIfAllHave();
    }

    private void finished(Member from) {
        waitingFor.remove(from);
        counters.finished(from);
        settled.add(from);
        committed.add(from);
        commitIfAllHaveSettled();
        concludeIfAllHaveCommitted();
        endIfAllHave();
    }

    private void endIfAllHave() {
        if (waitingFor.isEmpty() && state != JobState.DEPLOYING) {
            end();
        }
    }

    private synchronized void end() {
        if (state.isEnd()) {
            return;
        }
        if (error == null && suspicion != null) {
            error = suspicion;
            endState = JobState.FAILED;
        } else if (error == null && (cut || !waitingFor.isEmpty() && !atOnce)) {
            error = committing && !waitingFor.isEmpty() ? Incomplete.commit(waitingFor)
                    : Incomplete.drain(options.drainMillis(), waitingFor, undelivered);
            endState = JobState.INCOMPLETE;
        }
        exchange.end();
        state = endState;
        endNanos = nanos();
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
        if (measuredFromNanos != 0 && !state.isEnd()) {
            counters.ask(waitingFor, nanos());
        }
        return counters.answered();
    }

    synchronized JobStatus status() {
        members.forEach(m -> pids.put(m.name(), m.pid()));
        long now = state.isEnd() ? endNanos : nanos();
        long measuredFrom = measuredFromNanos == 0 ? now : measuredFromNanos;
        return new JobStatus(state, error, now - startedNanos, now - measuredFrom, counters.measurements(),
                Collections.unmodifiableMap(new LinkedHashMap<>(pids)),
                new JobStatus.Losses(undelivered, List.copyOf(leftBehind)),
                state == JobState.DEPLOYING && lease != null ? lease.awaited() : Map.of());
    }
}
