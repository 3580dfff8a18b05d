package io.despina.control.assembly;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.despina.operator.experiment.DelayingRelay;
import io.despina.plan.OperatorSpec;
import java.util.List;
import org.junit.jupiter.api.Test;

class OperatorFactoryTest {

    @Test
    void aRelaysDelaysKeepTheirFractions() {
        OperatorSpec.Relay relay = new OperatorSpec.Relay(0.4, 2.5, List.of(new OperatorSpec.SleepStep(10, 0.25)));
        assertEquals(new DelayingRelay.Options(0.4, 2.5, List.of(new DelayingRelay.Step(10, 0.25))), OperatorFactory.delays(relay));
    }
}
