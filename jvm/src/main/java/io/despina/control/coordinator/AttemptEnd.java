package io.despina.control.coordinator;

import static io.despina.spec.Never.NEVER;

import io.despina.control.members.Member;
import io.despina.control.protocol.Message;
import io.despina.control.protocol.Refusal;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * How an attempt ends: in which state, for which reason, and with which losses. It decides by what it is told, and does nothing;
 * its {@link JobAttempt} sends the messages and guards it.
 */
final class AttemptEnd {
    private final List<String> leftBehind = new ArrayList<>();
    private JobState state = JobState.DONE;
    private Refusal error;
    /** Set when a channel broke and the cause is still unknown. */
    private Refusal suspicion;
    /** Once it is stopped: the time from which packets in flight are dropped and channels may break. */
    private long abandonNanos;
    private boolean stopped;
    /** Whether it was stopped so that it can go on later: windows are still open. */
    private boolean interrupted;
    /** Whether a member had to cut its part short without being asked to. */
    private boolean cut;
    /** Whether a call demanded that it end at once. */
    private boolean atOnce;
    private long undelivered;
    private boolean committing;
    private boolean concluded;
    /** Whether it ends with an earlier epoch than its last. */
    private boolean abandoned;
    /** Complete epochs that are not committed when its time is up; empty for none. */
    private String left = "";

    /** Whether a stop still changes anything. Nothing softens an end at once. */
    boolean mayStop() {
        return error == null && !committing && !atOnce;
    }

    /**
     * It is stopped.
     *
     * @param as   the state that it then ends in
     * @param mode one of {@link Message.Stop#MODES}
     */
    void stop(JobState as, String mode, long abandon) {
        state = as;
        stopped = true;
        interrupted |= !mode.equals(Message.Stop.FLUSH);
        atOnce |= mode.equals(Message.Stop.NOW);
        abandonNanos = abandon;
    }

    /** It is stopped at once in its last epoch. @return whether that may be given up */
    boolean cutsLast(long now) {
        boolean cuts = committing && !concluded && !atOnce && error == null;
        if (cuts) {
            stop(JobState.STOPPED, Message.Stop.NOW, now);
        }
        return cuts;
    }

    /** How long rows wait for Python in its last epoch. @param drainMillis if it was stopped */
    long letGoMillis(long drainMillis) {
        return stopped ? drainMillis : NEVER;
    }

    /**
     * How long the last epoch may take to be committed. A target that is slow or away is waited for, as while the job runs,
     * if it keeps a state and nobody has stopped it.
     *
     * @param areKept     whether it keeps a state
     * @param drainMillis if it was stopped: so long rows wait for programs too, and are then to be committed
     */
    long commitMillis(boolean areKept, long drainMillis) {
        if (areKept) {
            return stopped ? Math.max(Deadlines.COMMIT_MILLIS, drainMillis + Deadlines.SETTLE_MILLIS) : NEVER;
        }
        return Deadlines.COMMIT_MILLIS;
    }

    /** The same once it is stopped in its last epoch, for the first time. */
    long leaveMillis(long drainMillis) {
        return committing && !concluded && !stopped ? drainMillis + Deadlines.SETTLE_MILLIS : NEVER;
    }

    /** Its time is up. @param epochs complete ones that are not committed @return whether they are left for the next run */
    boolean leaves(String epochs) {
        left = left.isEmpty() ? epochs : left;
        return !left.isEmpty();
    }

    /** The reason is the attempt's, unless it has one. @return whether it is the first */
    boolean fail(Refusal reason) {
        if (error != null) {
            return false;
        }
        error = reason;
        state = JobState.FAILED;
        return true;
    }

    /** A reason is known better now. */
    void explain(Refusal before, Refusal better) {
        if (error == before) {
            error = better;
        }
    }

    /** A channel broke. @return whether a better reason is worth waiting for */
    boolean suspect(Refusal reason, long nanos) {
        boolean abandoned = stopped && nanos - abandonNanos >= 0;
        if (abandoned || error != null || suspicion != null) {
            return false;
        }
        suspicion = reason;
        return true;
    }

    void settled(Message.Settled told) {
        if (error != null || suspicion != null) {
            return;     // it has failed: what did not arrive then is no loss of a stop
        }
        cut |= told.cut() && !atOnce;
        undelivered += told.undelivered();
    }

    void leftBehind(Member in, List<String> paths) {
        paths.forEach(path -> leftBehind.add(in.isOnThisMachine() ? path : in.name() + ":" + path));
    }

    /** The last epoch begins: from now on it is committed, or fails. */
    void lastBegins() {
        committing = true;
    }

    /** The last epoch is committed. */
    void conclude() {
        concluded = true;
    }

    /** It ends with the epoch before: what was cut short is not lost, but will come again. */
    void abandon() {
        cut = false;
        abandoned = true;
    }

    boolean isAbandoned() {
        return abandoned;
    }

    /**
     * Whether the loss of a member fails it. All rows are there once members conclude; what a lost one did not do then, such as
     * marking its folder and giving up its locks, the next attempt does, if one may follow and nobody has asked for an end.
     */
    boolean isFailedByLoss(boolean mayGoOn) {
        return !concluded || mayGoOn && !stopped;
    }

    /**
     * Whether all rows have come that ever will.
     *
     * @param goesOn whether the job keeps a state, from which it goes on if it was stopped
     */
    boolean isWhole(boolean goesOn) {
        return !cut && !atOnce && !(goesOn && interrupted);
    }

    /**
     * It is over.
     *
     * @param silent      members that have not finished
     * @param drainMillis the time that it had for packets in flight
     * @param held        packets whose rows had not left their operators
     * @return the state
     */
    JobState decide(Collection<Member> silent, long drainMillis, long held) {
        if (error == null && suspicion != null) {
            error = suspicion;
            state = JobState.FAILED;
        } else if (error == null && !left.isEmpty()) {
            error = Incomplete.left(committing ? Incomplete.COMMIT : Incomplete.drained(drainMillis), left, silent);
            state = JobState.INCOMPLETE;
        } else if (error == null && (cut || !silent.isEmpty() && !atOnce)) {
            error = committing && !silent.isEmpty() ? Incomplete.commit(silent)
                    : Incomplete.drain(drainMillis, silent, new Incomplete.Lost(undelivered, held));
            state = JobState.INCOMPLETE;
        }
        return state;
    }

    /** Whether nothing went wrong so far, that anyone knows or suspects. */
    boolean isWell() {
        return error == null && suspicion == null;
    }

    /** Null if nothing went wrong. */
    Refusal error() {
        return error;
    }

    JobStatus.Losses losses() {
        return abandoned ? JobStatus.Losses.NONE : new JobStatus.Losses(undelivered, List.copyOf(leftBehind));
    }
}
