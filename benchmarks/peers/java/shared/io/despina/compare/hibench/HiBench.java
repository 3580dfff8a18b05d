package io.despina.compare.hibench;

import io.despina.compare.Topology;
import io.despina.compare.Topology.Operator;
import java.util.List;

/** Two of HiBench's streaming works. */
public final class HiBench {
    private HiBench() {
    }

    public static Topology fixedWindow() {
        return new Topology(settings -> new FixedWindow.Visits(), List.of(
                new Operator("windows", List.of(Topology.SOURCE), (settings, job) -> new FixedWindow.Windows(settings), false),
                new Operator("check", List.of("windows"), (settings, job) -> new FixedWindow.Check(settings), true)));
    }

    public static Topology wordCount() {
        return new Topology(settings -> new WordCount.Lines(settings.text("input")), List.of(
                new Operator("split", List.of(Topology.SOURCE), (settings, job) -> new WordCount.Split(), false),
                new Operator("counts", List.of("split"), (settings, job) -> new WordCount.Counts(settings), false),
                new Operator("check", List.of("counts"), (settings, job) -> new WordCount.Check(settings), true)));
    }
}
