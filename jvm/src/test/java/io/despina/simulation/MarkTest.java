package io.despina.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The list of faults is whole: of each mark there is a test that fails if no seed meets it. */
class MarkTest {
    @Test
    void eachMarkIsOneThatSomeSeedsMustMeet() {
        Set<Mark> held = Stream.of(Mark.EPOCHS, Mark.LOGS, Mark.CONTROL, Mark.TAKE_OVER).flatMap(Collection::stream)
                .collect(Collectors.toCollection(() -> EnumSet.noneOf(Mark.class)));
        assertEquals(Set.of(), EnumSet.complementOf(EnumSet.copyOf(held)));
    }

    @Test
    void aMissedMarkIsTold() {
        Mark.Counts counts = new Mark.Counts();
        counts.hit(Mark.POWER_FAILURE);
        assertEquals(List.of(Mark.TORN_WRITE), counts.missed(List.of(Mark.POWER_FAILURE, Mark.TORN_WRITE)));
    }
}
