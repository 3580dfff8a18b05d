package io.despina.runtime.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Whatever a task or its job throws, the slot ends and its worker goes on. */
class TaskSlotTest {
    private final List<String> said = new ArrayList<>();

    private final class Failing implements Task, TaskSlot.Owner {
        private final Error inRun;
        private final boolean inAbort;
        private final boolean inFailed;

        Failing(Error inRun, boolean inAbort, boolean inFailed) {
            this.inRun = inRun;
            this.inAbort = inAbort;
            this.inFailed = inFailed;
        }

        @Override
        public ProgressState run(long now) {
            throw inRun;
        }

        @Override
        public long deadline() {
            return Long.MAX_VALUE;
        }

        @Override
        public ProgressState cut() {
            return ProgressState.DONE;
        }

        @Override
        public void abort() {
            said.add("aborted");
            if (inAbort) {
                throw new AssertionError("in abort");
            }
        }

        @Override
        public void failed(TaskSlot slot, Throwable cause) {
            said.add("failed: " + cause.getMessage());
            if (inFailed) {
                throw new IllegalArgumentException("cannot be told");
            }
        }

        @Override
        public Worker ownWorker(TaskSlot slot) {
            throw new AssertionError("none is asked for");
        }

        @Override
        public void ended(TaskSlot slot) {
            said.add("ended");
        }
    }

    private List<String> said(Failing failing) {
        Worker worker = new Worker(() -> { }, null);
        TaskSlot slot = new TaskSlot("t", failing, failing, worker);
        slot.wake();
        worker.turn(0);
        return said;
    }

    @Test
    void aFailureIsToldBeforeTheTaskGivesEverythingBack() {
        assertEquals(List.of("failed: e", "aborted", "ended"), said(new Failing(new LinkageError("e"), false, false)));
    }

    @Test
    void withoutMemoryTheTaskGivesItsOwnBackFirst() {
        assertEquals(List.of("aborted", "failed: e", "ended"), said(new Failing(new OutOfMemoryError("e"), true, false)));
    }

    @Test
    void theSlotEndsThoughNeitherAbortNorTheWordGetsThrough() {
        assertEquals(List.of("failed: e", "aborted", "failed: in abort", "ended"),
                said(new Failing(new LinkageError("e"), true, true)));
    }
}
