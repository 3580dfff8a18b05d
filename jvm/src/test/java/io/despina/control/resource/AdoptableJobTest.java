package io.despina.control.resource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.despina.control.protocol.ControlMessage;
import io.despina.control.protocol.Message;
import io.despina.control.protocol.Refusal;
import io.despina.control.protocol.StatePlace;
import io.despina.json.Json;
import io.despina.link.Attempt;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class AdoptableJobTest {
    private static final Attempt JOB = Attempt.first("job");
    private static final ObjectNode HELD = Json.object().put("type", "held");

    private final AdoptableJob adoption = new AdoptableJob(JOB);

    @BeforeEach
    void deploy() {
        adoption.note(new Message.Deploy(JOB, "", "f", Map.of(), null, ".", List.of(), Map.of(), List.of(), Map.of(), "abc", 1,
                new byte[0], 1, null, null, new StatePlace("/s", "g", 0, true, List.of()).outliving(7_000), null, null));
    }

    private void start() {
        assertTrue(adoption.starts());
    }

    private void refused(String why) {
        assertEquals("attempt 1 of job job cannot be taken over: " + why,
                assertThrows(Refusal.class, () -> adoption.adopted(4)).getMessage());
    }

    @Test
    void tellsWhatNoStateFolderHas() throws Refusal {
        assertEquals(7_000, adoption.lostMillis());
        start();
        adoption.note(new Message.Barrier(JOB, 4, 0));
        adoption.note(new Message.SetSchedule(JOB, "in", HELD));
        adoption.note(new Message.SetSchedule(JOB, "other", HELD));
        adoption.note(new Message.SetSchedule(JOB, "other", null));
        adoption.note(new ControlMessage.Tell(JOB, 9, "sync", List.of("in"), ""));
        adoption.note(new Message.Barrier(JOB, 5, 0));
        adoption.note(new Message.Stop(JOB, "drain", 100));
        assertEquals(new Message.Adopted(JOB, "abc", 5, new Message.Adopted.Numbers(9, 0), "drain",
                Map.of("in", Json.text(HELD))), adoption.adopted(4));
    }

    @Test
    void betweenItsAnswerAndTheStartItWaits() throws Refusal {
        start();
        assertFalse(adoption.waits());
        adoption.adopted(0);
        assertTrue(adoption.waits());
        assertFalse(adoption.starts());
        assertFalse(adoption.waits());
    }

    @Test
    void whatHasNotBegunOrIsOverGoesOnAsAnotherAttempt() {
        refused("it has not been started");
        start();
        adoption.note(new Message.Stop(JOB, "now", 0));
        refused("it ends at once");
        adoption.note(new Message.Complete(JOB, 5, true));
        refused("all of it is done");
    }

    @Test
    void itSaysWhyItHasFailedThoughNobodyHeard() {
        start();
        Refusal why = new Refusal("operator", "it broke", null);
        adoption.failed(why);
        assertEquals(why, assertThrows(Refusal.class, () -> adoption.adopted(4)));
    }

    @Test
    void keysThatHaveMovedAreWhereTheyWereInTheEpochBefore() throws Refusal {
        start();
        adoption.note(new Message.Barrier(JOB, 4, 0));
        adoption.note(new ControlMessage.Tell(JOB, 3, "move", List.of("counts"), "pass 2"));
        refused("keys have moved since epoch 4");
        assertEquals(new Message.Adopted.Numbers(3, 2), adoption.adopted(5).told());
    }
}
