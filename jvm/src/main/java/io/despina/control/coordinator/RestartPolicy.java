package io.despina.control.coordinator;

import io.despina.control.protocol.Message;
import io.despina.control.protocol.PoisonRecord;
import io.despina.control.protocol.Refusal;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Decides whether a job whose attempt has failed gets another one, and when. It is told facts, and does nothing.
 *
 * <p>The first restart comes at once. Those that follow wait for {@code firstMillis}, twice as long each time, and for {@code
 * mostMillis} at most. After {@code quietMillis} without a failure the next restart comes at once again. What would fail again
 * for the same reason is not tried for ever: after the same failure so many times in a row the job ends with it, and so it does
 * after resources that did not start, whichever they are. If it is the same record each time, and bad records of that operator
 * do not fail the job, the record is left out from then on. Resources that are without memory by turns end it too, when one of
 * them was so often and no epoch was completed in between. A refusal ends the job at once, and so does code of
 * the user that a new job cannot open. Where no executor has a slot for now, the job looks every {@link #LOOK_MILLIS} whether
 * there is one. A move is no failure, and is not counted.
 *
 * @param sameFailures how often the same operator may fail with the same words, or on the same record, and the same resource
 *                     for want of memory, each time before it was quiet
 * @param slotMillis   how long it looks for a slot
 */
record RestartPolicy(long firstMillis, long mostMillis, long quietMillis, int sameFailures, long slotMillis) {
    static final RestartPolicy USUAL = new RestartPolicy(1_000, 30_000, 600_000, 3, 60_000);
    /** Cheap: nothing is claimed or started before there is a slot. */
    static final long LOOK_MILLIS = 500;
    /** An operator that fails on so many records is what is wrong. */
    private static final int MOST_LEFT_OUT = 8;
    /** No executor has a slot for a resource of the next attempt. One that is lost comes back after some seconds, or never. */
    private static final String NO_SLOT = "slots";

    /** A resource has no memory for what it is to do. */
    static final String MEMORY = "memory";

    /** A part of the job has gone away: another attempt has another part. */
    private static final Set<String> LOSSES = Set.of("resource_lost", Message.Failed.CHANNEL, "attempt");
    /** Nothing answers there. If something did before, it may again. */
    private static final Set<String> ABSENCES = Set.of("resource_start", "state_unreachable");
    /** Whatever else may be different next time. */
    private static final Set<String> FAILURES = Set.of("operator", MEMORY, "internal", "port_in_use", "epoch",
            Message.Failed.ROTTEN, Message.Failed.OPENING);

    /**
     * What has gone wrong with a job so far.
     *
     * @param inARow   failures, none of them long after the one before
     * @param atNanos  of the last one
     * @param repeated the last failure that was not a loss; null before
     * @param times    how often that one came in a row
     * @param poison   the records that are left out
     * @param noSlot   nanoseconds: since when there is no slot; null if something else came last
     * @param full     by resource, how often it was without memory since an epoch was completed
     */
    record History(int inARow, long atNanos, Refusal repeated, int times, List<PoisonRecord> poison, Long noSlot,
            Map<String, Integer> full) {
        static final History NONE = new History(0, 0, null, 0, List.of(), null, Map.of());

        private History lookingSince(long nanos) {
            return new History(inARow, atNanos, repeated, times, poison, nanos, full);
        }
    }

    /**
     * An attempt has failed.
     *
     * @param hasRun    whether this attempt, or one before it, ran
     * @param goesOn    whether it went on from an epoch
     * @param completed whether it has completed an epoch
     * @param skips     whether a bad record of the operator does not fail the job
     * @param moves     whether a survivor had no room for the part of another, which will not be there again soon
     */
    record Failure(long atNanos, Refusal why, boolean hasRun, boolean goesOn, boolean completed, boolean skips, boolean moves) {
    }

    /** What is done. */
    sealed interface Reaction {
    }

    /** Another attempt begins that much later. */
    record Again(long afterMillis, History history) implements Reaction {
    }

    /** The job ends. */
    record GivenUp(Refusal why) implements Reaction {
    }

    /** The same for a job that looks for a slot for so long. */
    RestartPolicy lookingFor(long millis) {
        return new RestartPolicy(firstMillis, mostMillis, quietMillis, sameFailures, millis);
    }

    Reaction after(History before, Failure failure) {
        Refusal why = failure.why();
        if (why.rule().equals(Moves.RULE)) {
            return new Again(0, before);
        }
        if (why.rule().equals(NO_SLOT)) {
            return looksForSlot(before, failure);
        }
        boolean isAbsence = ABSENCES.contains(why.rule());
        boolean lost = failure.moves() || LOSSES.contains(why.rule()) || isAbsence && failure.hasRun();
        if (!lost && !isAbsence && !FAILURES.contains(why.rule()) || isNeverOpen(before, failure)) {
            return new GivenUp(why);
        }
        boolean quiet = before.inARow() > 0
                && failure.atNanos() - before.atNanos() >= TimeUnit.MILLISECONDS.toNanos(quietMillis);
        int times = lost ? before.times() : isSame(before.repeated(), why, quiet) ? before.times() + 1 : 1;
        List<PoisonRecord> poison = before.poison();
        if (!lost && times >= sameFailures) {
            if (!failure.skips() || why.record() == null || poison.size() == MOST_LEFT_OUT) {
                return new GivenUp(times == 1 ? why : why.saying(words(why, times)));
            }
            poison = Stream.concat(poison.stream(), Stream.of(new PoisonRecord(why.operator(), why.record()))).toList();
        }
        Map<String, Integer> full = full(quiet || failure.completed() ? Map.of() : before.full(), why);
        if (why.rule().equals(MEMORY) && full.getOrDefault(String.valueOf(why.resource()), 0) >= sameFailures) {
            return new GivenUp(why.saying(why.getMessage() + " (resources had no memory by turns, this one " + sameFailures
                    + " times, and no epoch was completed in between)"));
        }
        int inARow = quiet ? 1 : before.inARow() + 1;
        return new Again(delayMillis(inARow),
                new History(inARow, failure.atNanos(), lost ? before.repeated() : why, times, poison, null, full));
    }

    private static Map<String, Integer> full(Map<String, Integer> before, Refusal why) {
        if (!why.rule().equals(MEMORY) || why.resource() == null) {
            return before;
        }
        Map<String, Integer> full = new HashMap<>(before);
        full.merge(why.resource(), 1, Integer::sum);
        return Map.copyOf(full);
    }

    /**
     * Whether code of the user cannot be opened, and never could in this job: then nothing will be different. A job that is older
     * has opened it before, so something else is not as it was, and may be again.
     */
    private static boolean isNeverOpen(History before, Failure failure) {
        return failure.why().rule().equals(Message.Failed.OPENING) && before.inARow() == 0 && !failure.goesOn();
    }

    private Reaction looksForSlot(History before, Failure failure) {
        long since = before.noSlot() == null ? failure.atNanos() : before.noSlot();
        if (failure.atNanos() - since < TimeUnit.MILLISECONDS.toNanos(slotMillis)) {
            return new Again(LOOK_MILLIS, before.lookingSince(since));
        }
        Refusal why = failure.why();
        return new GivenUp(why.saying(why.getMessage() + " (the job has waited for " + slotMillis / 1e3 + " s)"));
    }

    private static String words(Refusal why, int times) {
        return why.getMessage() + (why.record() == null ? " (the same " + times + " times in a row)"
                : " (the same record " + times + " times in a row)");
    }

    /**
     * A resource without memory is the same failure whichever operator found none: the numbers are others each time. But one that
     * had enough for a while has found none for another reason.
     */
    private static boolean isSame(Refusal one, Refusal other, boolean quiet) {
        if (!quiet && one != null && one.rule().equals(MEMORY) && other.rule().equals(MEMORY) && one.resource() != null) {
            return one.resource().equals(other.resource());
        }
        return one != null && one.rule().equals(other.rule()) && Objects.equals(one.operator(), other.operator())
                && Objects.equals(one.record(), other.record())
                && (one.record() != null || ABSENCES.contains(one.rule()) || one.getMessage().equals(other.getMessage()));
    }

    /** @param inARow from 1 */
    private long delayMillis(int inARow) {
        if (inARow == 1) {
            return 0;
        }
        long millis = firstMillis;
        for (int k = 2; k < inARow && millis < mostMillis; k++) {
            millis *= 2;
        }
        return Math.min(millis, mostMillis);
    }
}
