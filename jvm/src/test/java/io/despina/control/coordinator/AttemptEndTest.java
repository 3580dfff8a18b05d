package io.despina.control.coordinator;

import static io.despina.spec.Never.NEVER;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.control.protocol.Message;
import io.despina.control.protocol.Refusal;
import java.util.List;
import org.junit.jupiter.api.Test;

class AttemptEndTest {
    private final AttemptEnd end = new AttemptEnd();

    @Test
    void aTargetIsWaitedForUntilAStopAndThenLongerThanRowsWaitForPrograms() {
        assertEquals(Deadlines.COMMIT_MILLIS, end.commitMillis(false, 10_000));
        assertEquals(NEVER, end.commitMillis(true, 10_000));
        end.stop(JobState.STOPPED, Message.Stop.DRAIN, 0);
        for (long drain : new long[] {1, 10_000, 50_000, 600_000}) {
            long most = end.commitMillis(true, drain);
            assertTrue(most >= Deadlines.COMMIT_MILLIS && most < NEVER);
            assertTrue(most >= end.letGoMillis(drain) + Deadlines.SETTLE_MILLIS, "what programs let go is committed too");
        }
    }

    @Test
    void theLossOfAMemberFailsWhatHasNotEndedEverywhereIfItMayGoOn() {
        assertTrue(end.isFailedByLoss(false));
        end.lastBegins();
        end.conclude();
        assertTrue(end.isFailedByLoss(true), "the lost one has marked nothing");
        assertFalse(end.isFailedByLoss(false), "all rows are there");
        end.stop(JobState.STOPPED, Message.Stop.DRAIN, 0);
        assertFalse(end.isFailedByLoss(true), "it was stopped");
    }

    @Test
    void whatIsOnlySuspectedIsNotWellEither() {
        assertTrue(end.isWell());
        assertTrue(end.suspect(new Refusal("channel", "it broke", null), 0));
        assertFalse(end.isWell(), "the last epoch is not marked, since it ends as failed");
        assertEquals(JobState.FAILED, end.decide(List.of(), 0, 0));
    }

    @Test
    void whatIsLeftStaysLeft() {
        end.lastBegins();
        assertTrue(end.leaves("epochs 1 to 2"));
        end.abandon();
        assertTrue(end.leaves(""));
        assertEquals(JobState.INCOMPLETE, end.decide(List.of(), 10, 0));
        assertTrue(end.error().getMessage().contains("epochs 1 to 2"), end.error().getMessage());
    }
}
