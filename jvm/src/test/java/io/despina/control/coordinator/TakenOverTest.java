package io.despina.control.coordinator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.despina.control.protocol.Message;
import io.despina.link.Attempt;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class TakenOverTest {
    private static final Attempt JOB = new Attempt("job", 3);

    private final TakenOver taken = new TakenOver(JOB, "abc", 7);
    private final FakeMember a = new FakeMember("a");
    private final FakeMember b = new FakeMember("b");

    private static Message.Adopted answer(long barrier, String stop) {
        return new Message.Adopted(JOB, "abc", barrier, new Message.Adopted.Numbers(0, 0), stop, Map.of());
    }

    @Test
    void asksAllWithTheEpochFromWhichItGoesOn() {
        assertEquals(Map.of(a, new Message.Adopt(JOB, 7), b, new Message.Adopt(JOB, 7)), taken.question(List.of(a, b)));
    }

    @Test
    void anEpochIsGivenUpWhereItWasBegunAndBegunFirstWhereItWasNot() {
        assertNull(taken.answered(a, answer(8, null)));
        assertNull(taken.answered(b, answer(7, null)));
        assertEquals(8, taken.giveUpEpoch());
        assertEquals(List.of(new Message.Drop(JOB, 8)), a.told);
        assertEquals(List.of(new Message.Barrier(JOB, 8, 0), new Message.Drop(JOB, 8)), b.told);
    }

    @Test
    void aCompleteEpochIsNotGivenUp() {
        taken.answered(a, answer(7, null));
        taken.answered(b, answer(6, null));
        assertEquals(7, taken.giveUpEpoch());
        assertEquals(List.of(), a.told);
        assertEquals(List.of(), b.told);
    }

    @Test
    void aStopThatOneHasHeardOfIsForAll() {
        taken.answered(a, answer(7, null));
        assertEquals(Optional.empty(), taken.stopMode());
        taken.answered(b, answer(7, "flush"));
        assertEquals(Optional.of("flush"), taken.stopMode());
    }

    @Test
    void aCommandThatSomeHaveHeardOfIsNoneToGoOnWith() {
        assertNull(taken.answered(a, answer(7, null)));
        Message.Adopted more = new Message.Adopted(JOB, "abc", 7, new Message.Adopted.Numbers(1, 0), null, Map.of());
        assertEquals("resource `b` and others of job job (attempt 3) were not told the same commands before their coordinator "
                + "was lost", taken.answered(b, more).getMessage());
    }

    @Test
    void whoRunsAnotherPlanIsNotTakenOver() {
        assertEquals("resource `a` runs another plan of job job (attempt 3) than this coordinator has made",
                new TakenOver(JOB, "abd", 7).answered(a, answer(7, null)).getMessage());
    }
}
