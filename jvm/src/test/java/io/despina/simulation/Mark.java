package io.despina.simulation;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/**
 * What may happen to a job, each of which some seed must meet. Those of {@link #EPOCHS} are of {@link EpochSimulation}, of
 * {@link #LOGS} of {@link LogSimulation}.
 */
enum Mark {
    RESOURCE_KILLED_BEFORE_BARRIER, RESOURCE_KILLED_BETWEEN_FREEZE_AND_FILE, RESOURCE_KILLED_AFTER_FILE,
    RESOURCE_KILLED_AFTER_FROZEN, RESOURCE_KILLED_BETWEEN_MANIFEST_AND_COMPLETE, RESOURCE_KILLED_IN_COMMIT,
    RESOURCE_KILLED_AFTER_COMMIT_BEFORE_ANSWER, RESOURCE_KILLED_IN_RESTORE, RESOURCE_KILLED_IN_END_OF_OLD_ATTEMPT,
    COORDINATOR_KILLED_BEFORE_CLAIM, COORDINATOR_KILLED_AFTER_CLAIM, COORDINATOR_KILLED_BEFORE_MANIFEST,
    COORDINATOR_KILLED_AFTER_MANIFEST, COORDINATOR_KILLED_BEFORE_COMMITTED, COORDINATOR_KILLED_IN_COLLECTION,
    CONNECTION_CUT, MESSAGE_STALLED, MESSAGE_DELAYED, MESSAGE_OVERTAKEN, BARRIER_LOST_WITH_CONNECTION,
    TWO_COORDINATORS, ZOMBIE_WRITES_FILE, ZOMBIE_WRITES_FRAME, ZOMBIE_COMMITS,
    STATE_DISK_FULL, CLAIM_DISK_FULL, MANIFEST_DISK_FULL, COMMITTED_DISK_FULL, TORN_WRITE, FORCE_FAILED,
    MANIFEST_NOT_FORCED, LOST_FSYNC, LOST_NAME, POWER_FAILURE, POWER_FAILURE_BEFORE_NAME, READ_FAILED,
    ROTTEN_SECTION, ROTTEN_BASE, ROTTEN_BASE_LEFT_BEHIND, ROTTEN_MANIFEST, HALF_MADE_MANIFEST, CLOCK_JUMP, IDLE_SOURCE_AT_BARRIER,
    END_BETWEEN_BARRIERS, ALL_ENDED,
    EMPTY_EPOCH, EPOCH_DROPPED_THREE_TIMES, RESCALE_BETWEEN_ATTEMPTS, TARGET_DOWN_FOR_TEN_EPOCHS, MARKER_PRUNED,
    SINK_DISK_FULL, SURVIVOR_WITHOUT_ROOM, READER_KILLED, CHANNEL_FULL, LATE_BY_A_RESTORED_CLOCK,
    LOG_TAKEN_OVER, LOG_WRITER_FROZEN, LOG_WRITER_KILLED, LOG_DISK_FULL, LOG_FULL, ROTTEN_LOG, LOG_ZOMBIE_FENCED,
    SAVEPOINT_ASKED, SAVEPOINT_RESTORED, SPARE_LOST, SPARE_TOOK_PART, PART_MOVED, SURVIVOR_LOST_AFTER_MOVE, POISON_RECORD,
    RESOURCE_KILLED_IN_STOP_WITH_SAVEPOINT, RESOURCE_KILLED_IN_CONCLUSION, MACHINE_ASLEEP,
    ADOPTED, TAKEN_OVER, ADOPTION_REFUSED;

    static final List<Mark> EPOCHS = Stream.of(values()).filter(mark -> mark.compareTo(LOG_TAKEN_OVER) < 0).toList();
    static final List<Mark> LOGS = List.of(LOG_TAKEN_OVER, LOG_WRITER_FROZEN, LOG_WRITER_KILLED, LOG_DISK_FULL, LOG_FULL,
            ROTTEN_LOG, LOG_ZOMBIE_FENCED, POWER_FAILURE, FORCE_FAILED, TORN_WRITE);

    /** Of {@link ControlSimulation}: the real coordinator meets them. */
    static final List<Mark> CONTROL = List.of(COORDINATOR_KILLED_BEFORE_CLAIM, COORDINATOR_KILLED_AFTER_CLAIM,
            COORDINATOR_KILLED_BEFORE_MANIFEST, COORDINATOR_KILLED_AFTER_MANIFEST, COORDINATOR_KILLED_BEFORE_COMMITTED,
            COORDINATOR_KILLED_IN_COLLECTION, RESOURCE_KILLED_BETWEEN_FREEZE_AND_FILE, RESOURCE_KILLED_AFTER_FILE,
            RESOURCE_KILLED_IN_RESTORE, TWO_COORDINATORS, POWER_FAILURE, CLOCK_JUMP, STATE_DISK_FULL, CLAIM_DISK_FULL,
            MANIFEST_DISK_FULL, COMMITTED_DISK_FULL, FORCE_FAILED, MANIFEST_NOT_FORCED, READ_FAILED, TORN_WRITE,
            SAVEPOINT_ASKED, SAVEPOINT_RESTORED, SPARE_LOST, SPARE_TOOK_PART, PART_MOVED, SURVIVOR_LOST_AFTER_MOVE,
            POISON_RECORD, RESOURCE_KILLED_IN_STOP_WITH_SAVEPOINT, RESOURCE_KILLED_IN_CONCLUSION, MACHINE_ASLEEP);

    /** The same, of coordinators that take jobs over. */
    static final List<Mark> TAKE_OVER = List.of(ADOPTED, TAKEN_OVER, ADOPTION_REFUSED);

    /** How often seeds have met each. Thread-safe. */
    static final class Counts {
        private final Map<Mark, AtomicLong> counts = new EnumMap<>(Mark.class);

        Counts() {
            Stream.of(values()).forEach(mark -> counts.put(mark, new AtomicLong()));
        }

        void hit(Mark mark) {
            counts.get(mark).incrementAndGet();
        }

        List<Mark> missed(List<Mark> of) {
            return of.stream().filter(mark -> counts.get(mark).get() == 0).toList();
        }

        @Override
        public String toString() {
            return Stream.of(values()).filter(mark -> counts.get(mark).get() > 0).map(mark -> mark + "=" + counts.get(mark))
                    .toList().toString();
        }
    }

    /** The faults of one seed: each is possible or not, and then comes by chance. */
    static final class Swarm {
        private static final int POSSIBLE_ONE_IN = 3;

        private final Random random;
        private final Map<Mark, Boolean> possible = new EnumMap<>(Mark.class);
        private final Counts counts;
        /** Faults that may still come; a seed must end. */
        private int left;

        Swarm(Random random, Counts counts, int most) {
            this.random = random;
            this.counts = counts;
            left = random.nextInt(most + 1);
            Stream.of(values()).forEach(mark -> possible.put(mark, random.nextInt(POSSIBLE_ONE_IN) == 0));
        }

        /** Rules faults out, which would leave the seed without a right end. */
        void never(Mark... impossible) {
            Stream.of(impossible).forEach(mark -> possible.put(mark, false));
        }

        /** Whether that fault may still come. */
        boolean threatens(Mark mark) {
            return left > 0 && possible.get(mark);
        }

        /** Whether that fault comes now. */
        boolean strikes(Mark mark, int oneIn) {
            if (!threatens(mark) || random.nextInt(oneIn) > 0) {
                return false;
            }
            left--;
            counts.hit(mark);
            return true;
        }

        /** Of the seed. */
        Random random() {
            return random;
        }

        /** What came by itself. */
        void met(Mark mark) {
            counts.hit(mark);
        }

        /** Whether nothing more can come. */
        boolean isSpent() {
            return left == 0;
        }

        /** From now on nothing happens. */
        void calm() {
            left = 0;
        }
    }
}
