package io.despina.control.resource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.buffer.Budget;
import io.despina.buffer.SegmentPool;
import io.despina.control.protocol.SurveyMessage.Reach;
import io.despina.control.protocol.SurveyMessage.Reached;
import io.despina.control.protocol.SurveyMessage.Survey;
import io.despina.control.protocol.SurveyMessage.Surveyed;
import io.despina.wire.Wire;
import io.despina.wire.WireOptions;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a resource says of its machine and of what is between it and another one, over real sockets. */
class MachineSurveyTest {
    private static final String SECRET = "a secret of at least 32 characters";

    private Wire wire;
    private ResourceAgent other;

    @BeforeEach
    void open() throws Exception {
        wire = Wire.open(WireOptions.local(SECRET.getBytes(StandardCharsets.UTF_8), new SegmentPool(new Budget(16 << 20)), 1, 1));
        other = ResourceAgent.withWire(new ResourceAgent.Size("other", 1, 16 << 20), new ResourceAgent.Entry("", SECRET),
                "127.0.0.1", null, PythonPolicy.AS_ASKED);
    }

    @AfterEach
    void close() {
        wire.close();
        other.close(5_000);
    }

    @Test
    void theWayToAnotherIsMeasuredOnce() {
        MachineSurvey survey = new MachineSurvey(wire, System::nanoTime);
        Reach to = new Reach("other", "127.0.0.1", other.dataPort());
        Reached found = (Reached) survey.answer(to);
        assertTrue(found.mbitPerS() > 0 && found.roundTripMillis() > 0, found.toString());
        assertSame(found, survey.answer(to));
    }

    @Test
    void oneThatCannotBeReachedIsToldWithItsReason() {
        Reached found = (Reached) new MachineSurvey(wire, System::nanoTime).answer(new Reach("nobody", "127.0.0.1", wire.port()));
        assertEquals(0, found.mbitPerS());
        assertNotNull(found.why());
    }

    @Test
    void theMachineIsMeasuredOnce() {
        MachineSurvey survey = new MachineSurvey(wire, System::nanoTime);
        Surveyed found = (Surveyed) survey.answer(new Survey());
        assertTrue(found.loops().memory() > 0, found.toString());
        assertSame(found, survey.answer(new Survey()));
    }
}
