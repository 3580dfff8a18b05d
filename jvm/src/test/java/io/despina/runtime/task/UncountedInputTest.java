package io.despina.runtime.task;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.despina.runtime.deployment.InputSpec;
import io.despina.runtime.task.Bench.Diary;
import io.despina.runtime.task.Bench.FaultyRelay;
import io.despina.runtime.task.Bench.Puppet;
import java.util.List;
import org.junit.jupiter.api.Test;

/** An input whose watermarks do not count neither holds those of the others back nor moves what is sent. */
class UncountedInputTest {
    private final Bench bench = new Bench();
    private final Puppet counted = new Puppet();
    private final Puppet beside = new Puppet();
    private final Diary diary = new Diary();

    private void open() {
        bench.start(Bench.source("counted", counted, 1), Bench.source("beside", beside, 2),
                Bench.task(List.of(Bench.stage("relay", FaultyRelay::new, 2, Bench.NUMBERS)),
                        List.of(Bench.in(0, 1), new InputSpec(1, Bench.in(1, 2).channels(), false)),
                        List.of(Bench.out(0, 0, Bench.NUMBERS, 3))),
                Bench.sink("sink", diary, 3));
    }

    private void say(Puppet puppet, Runnable what) {
        puppet.script.add(what);
        bench.pass(4 * Bench.MS);
    }

    private List<String> said() {
        return diary.lines.stream().filter(line -> !line.startsWith("I")).toList();
    }

    @Test
    void itsSilenceHoldsNothingBack() {
        open();
        say(counted, () -> counted.out.watermark(4, false));
        assertEquals(List.of("W 4"), said());
    }

    @Test
    void itsWatermarksMoveNothing() {
        open();
        say(beside, () -> beside.out.watermark(9, false));
        say(counted, () -> counted.out.watermark(4, false));
        say(beside, () -> beside.number(7));
        assertEquals(List.of("W 4", "7"), said());
    }

    @Test
    void theOthersEndIsToldAsAWatermarkAndItsOwnIsTheEnd() {
        open();
        say(counted, () -> counted.ends = true);
        assertEquals(List.of("W max"), said());
        say(beside, () -> beside.ends = true);
        assertEquals("end", said().get(1));
    }
}
