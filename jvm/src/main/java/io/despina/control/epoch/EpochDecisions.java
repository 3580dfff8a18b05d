package io.despina.control.epoch;

import static io.despina.spec.Never.NEVER;

import io.despina.control.epoch.EpochProgress.Commit;
import io.despina.control.epoch.EpochProgress.Freezing;
import io.despina.control.epoch.EpochProgress.Last;
import io.despina.control.epoch.EpochProgress.Told;
import io.despina.control.epoch.EpochProgress.Trouble;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Decides about the epochs of an attempt: a function of what is known and of the time, without side effects. At most one epoch is
 * being frozen. Epochs are committed in order, one at a time, while the next is frozen. What earlier attempts may have left
 * uncommitted comes before everything else.
 */
public final class EpochDecisions {
    /** From the restore of an attempt to its first epoch. */
    static final long FIRST_MILLIS = 100;
    /** How long members may take to freeze and write an epoch, before one of the attempt took longer. */
    static final long FREEZE_MILLIS = 10_000;
    /** The longest that they may take. */
    static final long MOST_FREEZE_MILLIS = 640_000;
    /** The same for the last epoch: the job ends it after a minute. */
    static final long LAST_FREEZE_MILLIS = 50_000;
    /** Since the last complete epoch, before the job's state counts as stale. */
    static final long STALE_MILLIS = 60_000;
    /** From a restore to its first complete epoch, before the user hears that there is none. */
    static final long RESTORED_MILLIS = 30_000;
    /** Dropped epochs in a row, before the user hears of them. */
    static final int MANY_DROPPED = 3;
    /** The most complete epochs that are not committed; as many wait for a target that is down. */
    static final int MOST_UNCOMMITTED = 10;
    /** So many of them are more than epochs overlap. */
    static final int MANY_UNCOMMITTED = 3;
    /** An epoch that freezes for so long is waited for. */
    static final long LONG_MILLIS = 2_000;
    /** How often the last epoch of a job is tried. */
    static final int TRIES = 3;
    /** Before the last epoch is tried again. */
    static final long AGAIN_MILLIS = 1_000;

    private EpochDecisions() {
    }

    /** What to do next. The caller does it, notes it in the facts, and asks again, until it is told to wait. */
    public static EpochStep next(EpochProgress facts, long now) {
        return next(facts, Intake.NONE, now);
    }

    /** The same for a job to which programs give rows. */
    public static EpochStep next(EpochProgress facts, Intake intake, long now) {
        EpochStep step = commit(facts);
        if (step == null) {
            step = freeze(facts, now);
        }
        if (step == null) {
            step = warn(facts, now);
        }
        if (step == null) {
            step = end(facts, intake, now);
        }
        if (step == null) {
            step = take(facts, intake);
        }
        if (step == null) {
            step = begin(facts, intake, now);
        }
        return step != null ? step : new EpochStep.Wait(until(facts, intake));
    }

    /** @return null if there is nothing to give, or an epoch that would have a part of it */
    private static EpochStep take(EpochProgress facts, Intake intake) {
        boolean freezes = facts.freezing() != null && !facts.freezing().writing();
        return intake == Intake.WAITING && !freezes ? new EpochStep.Give() : null;
    }

    /** @return null if there is nothing to do about epochs that are complete */
    private static EpochStep commit(EpochProgress facts) {
        if (facts.commits().isEmpty()) {
            return null;
        }
        Commit oldest = facts.commits().get(0);
        if (!oldest.told()) {
            return new EpochStep.Complete(oldest.epoch());
        }
        if (oldest.marking() || !oldest.committed().containsAll(facts.members())) {
            return null;
        }
        if (oldest.epoch() != facts.ending().epoch()) {
            return new EpochStep.Mark(oldest.epoch());
        }
        return facts.isSettled() ? new EpochStep.Conclude() : null;
    }

    /** @return null if there is nothing to do about the epoch under way, or none is */
    private static EpochStep freeze(EpochProgress facts, long now) {
        Freezing freezing = facts.freezing();
        if (freezing == null || freezing.writing()) {
            return null;
        }
        if (!freezing.refused().isEmpty()) {
            return new EpochStep.Drop(freezing.epoch(), freezing.refused().entrySet().stream()
                    .map(each -> "resource `" + each.getKey() + "`: " + each.getValue()).collect(Collectors.joining("; ")));
        }
        if (freezing.frozen().containsAll(facts.members())) {
            return new EpochStep.Write(freezing.epoch());
        }
        long limit = freezeMillis(facts);
        return limit == NEVER || now - freezing.sinceMillis() < limit ? null : new EpochStep.Drop(freezing.epoch(),
                named(facts.without(freezing.frozen())) + " did not write it within " + limit / 1_000 + " s");
    }

    /**
     * How long the epoch under way may be frozen. Nobody knows how large states are and how fast their disk is before one was
     * written, and what is dropped is written again from its beginning: so after each that took too long, the next has twice the
     * time. A job that keeps no state has only one epoch, which the end of the job has a limit for.
     */
    private static long freezeMillis(EpochProgress facts) {
        if (facts.everyMillis() == 0) {
            return NEVER;
        }
        long limit = FREEZE_MILLIS;
        for (int k = 0; k < facts.trouble().slow() && limit < MOST_FREEZE_MILLIS; k++) {
            limit *= 2;
        }
        return facts.freezing().epoch() == facts.ending().epoch() ? Math.min(limit, LAST_FREEZE_MILLIS) : limit;
    }

    /** @return null if there is nothing new to tell */
    private static EpochStep warn(EpochProgress facts, long now) {
        Trouble trouble = facts.trouble();
        if (trouble.told().contains(Told.STALE) && !isLate(facts, now, staleMillis(facts))) {
            return new EpochStep.Warn(Told.FRESH, "the state is stale no more: epoch " + facts.last().complete()
                    + " is complete");
        }
        int many = MANY_DROPPED + (trouble.isUnexplained() ? 1 : 0);
        if (trouble.inRow() >= many && !trouble.told().contains(Told.DROPPED)) {
            return new EpochStep.Warn(Told.DROPPED, trouble.inRow() + " epochs in a row were dropped: " + trouble.why());
        }
        if (isLate(facts, now, restoredMillis(facts)) && !trouble.told().contains(Told.NONE_SINCE_RESTORE)) {
            return new EpochStep.Warn(Told.NONE_SINCE_RESTORE, "no epoch is complete " + RESTORED_MILLIS / 1_000
                    + " s after the restore from epoch " + facts.start().from() + why(facts));
        }
        if (isLate(facts, now, staleMillis(facts)) && !trouble.told().contains(Told.STALE)) {
            return new EpochStep.Warn(Told.STALE, "the state is stale: no epoch was complete for " + STALE_MILLIS / 1_000
                    + " s" + why(facts));
        }
        return null;
    }

    private static boolean isLate(EpochProgress facts, long now, long millis) {
        return facts.everyMillis() > 0 && now >= millis;
    }

    private static long staleMillis(EpochProgress facts) {
        return facts.last().completeMillis() + STALE_MILLIS;
    }

    /** When the first epoch after a restore is overdue; never if there was no restore, or one is complete. */
    private static long restoredMillis(EpochProgress facts) {
        boolean watched = facts.start().from() > 0 && facts.last().complete() == facts.start().from();
        return watched ? facts.start().atMillis() + RESTORED_MILLIS : Long.MAX_VALUE;
    }

    /** What holds epochs up just now; empty if nothing does. */
    public static String trouble(EpochProgress facts, long now) {
        Freezing freezing = facts.freezing();
        boolean waits = facts.everyMillis() > 0 && (facts.commits().size() >= MANY_UNCOMMITTED
                || isReplaying(facts) && !facts.commits().get(0).behind().isEmpty()
                || freezing != null && now - freezing.sinceMillis() >= LONG_MILLIS);
        return waits ? reason(facts) : facts.trouble().why();
    }

    /** What stands in the way, as the rest of a sentence. */
    private static String why(EpochProgress facts) {
        String reason = reason(facts);
        return reason.isEmpty() ? "" : ": " + reason;
    }

    private static String reason(EpochProgress facts) {
        if (!facts.trouble().why().isEmpty()) {
            return facts.trouble().why();
        }
        if (!facts.commits().isEmpty()) {
            Commit oldest = facts.commits().get(0);
            List<String> late = facts.without(oldest.committed());
            return named(late) + (late.size() == 1 ? " has" : " have") + " not committed epoch " + oldest.epoch()
                    + (facts.commits().size() < MOST_UNCOMMITTED ? "" : ", and no epoch begins before") + facts.waits(oldest);
        }
        if (facts.freezing() == null) {
            return "";
        }
        return facts.freezing().writing() ? "the manifest of epoch " + facts.freezing().epoch() + " is still being written"
                : "epoch " + facts.freezing().epoch() + " waits for " + named(facts.without(facts.freezing().frozen()));
    }

    private static String named(List<String> members) {
        return (members.size() == 1 ? "resource " : "resources ")
                + members.stream().map(member -> "`" + member + "`").collect(Collectors.joining(", "));
    }

    /** @return null while the job does not end, or the epoch under way is not complete */
    private static EpochStep end(EpochProgress facts, Intake intake, long now) {
        if (!facts.isSettled() || facts.freezing() != null) {
            return null;
        }
        if (facts.ending().cut() && facts.everyMillis() > 0) {
            return facts.commits().isEmpty() ? new EpochStep.Abandon() : EpochStep.Wait.FOR_AN_EVENT;
        }
        if (facts.ending().epoch() > 0) {
            return EpochStep.Wait.FOR_AN_EVENT;
        }
        if (facts.ending().dropped() >= (facts.everyMillis() > 0 ? TRIES : 1)) {
            return new EpochStep.Fail(facts.trouble().why());
        }
        boolean again = facts.ending().dropped() > 0 && now < facts.last().begunMillis() + AGAIN_MILLIS;
        return again || isReplaying(facts) || intake == Intake.STILL ? null : new EpochStep.Begin(facts.last().begun() + 1, true);
    }

    /** @return null if it is too early */
    private static EpochStep begin(EpochProgress facts, Intake intake, long now) {
        boolean due = intake == Intake.GIVEN || now >= dueMillis(facts);
        return due && mayBegin(facts, intake) ? new EpochStep.Begin(facts.last().begun() + 1, false) : null;
    }

    private static boolean mayBegin(EpochProgress facts, Intake intake) {
        return intake != Intake.GIVING && intake != Intake.STILL && facts.everyMillis() > 0 && facts.freezing() == null
                && facts.ending().epoch() == 0 && !facts.isSettled() && !isReplaying(facts)
                && facts.commits().size() < MOST_UNCOMMITTED;
    }

    /** Whether what an earlier attempt left is not committed yet. */
    private static boolean isReplaying(EpochProgress facts) {
        long replay = facts.start().replay();
        return replay > 0 && facts.commits().stream().anyMatch(commit -> commit.epoch() == replay);
    }

    private static long dueMillis(EpochProgress facts) {
        Last last = facts.last();
        boolean first = facts.start().from() > 0 && last.complete() == facts.start().from() && facts.trouble().dropped() == 0;
        boolean soon = first || facts.savepoint() != null;
        return last.begunMillis() + (soon ? Math.min(FIRST_MILLIS, facts.everyMillis()) : facts.everyMillis());
    }

    private static long until(EpochProgress facts, Intake intake) {
        long until = Long.MAX_VALUE;
        Freezing freezing = facts.freezing();
        if (freezing != null && !freezing.writing() && freezeMillis(facts) != NEVER) {
            until = freezing.sinceMillis() + freezeMillis(facts);
        }
        if (mayBegin(facts, intake)) {
            until = Math.min(until, dueMillis(facts));
        }
        if (facts.isSettled() && freezing == null && !isReplaying(facts) && intake != Intake.STILL) {
            until = Math.min(until, facts.last().begunMillis() + AGAIN_MILLIS);
        }
        if (facts.everyMillis() > 0 && !facts.trouble().told().contains(Told.STALE)) {
            until = Math.min(until, staleMillis(facts));
        }
        if (facts.everyMillis() > 0 && !facts.trouble().told().contains(Told.NONE_SINCE_RESTORE)) {
            until = Math.min(until, restoredMillis(facts));
        }
        return until;
    }
}
