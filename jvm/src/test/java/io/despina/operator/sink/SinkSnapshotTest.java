package io.despina.operator.sink;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.despina.operator.OperatorHarness;
import io.despina.operator.Sink;
import io.despina.operator.program.ConsoleSink;
import io.despina.operator.record.RecordFormat;
import io.despina.operator.sink.file.FileSink;
import io.despina.operator.sink.file.FileSinkOptions;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import io.despina.spec.FileFormat;
import io.despina.state.Sections;
import io.despina.state.Share;
import io.despina.state.Snapshots;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Sinks as two instances that a snapshot is taken of, and that are killed some epochs later: one, two or three that go on from it
 * show every row once, and what was prepared after the snapshot is gone.
 */
class SinkSnapshotTest {
    private static final Schema ROWS = Schema.of(new Column("n", Simple.INT, false));

    @TempDir
    Path folder;
    private int next;

    private OperatorHarness.Setup files(int instance, int parallelism) {
        return OperatorHarness.of(() -> new FileSink(new FileSinkOptions(
                new FileSinkOptions.Place(folder.resolve("out" + next), false, false, "job"),
                new FileSinkOptions.Roll(0, 0, Runnable::run),
                new RecordFormat.Write(FileFormat.CSV, Map.of(), "UTC", true), any -> {
                    throw new AssertionError("numbers need no formatter of Spark's");
                }))).inputs(ROWS).instance(instance, parallelism);
    }

    private static void feed(List<OperatorHarness> sinks, int from, int to) throws Exception {
        for (int n = from; n < to; n++) {
            sinks.get(n % sinks.size()).feedRow(0, n);
        }
    }

    private static void each(List<OperatorHarness> sinks, SinkCall call) throws Exception {
        for (OperatorHarness one : sinks) {
            call.on((Sink) one.operator());
        }
    }

    private static List<Map<String, byte[]>> snapshots(List<OperatorHarness> sinks) throws Exception {
        List<Map<String, byte[]>> all = new ArrayList<>();
        for (OperatorHarness one : sinks) {
            all.add(one.snapshot());
        }
        return all;
    }

    private interface SinkCall {
        void on(Sink sink) throws Exception;
    }

    private List<String> shown() throws IOException {
        List<String> lines = new ArrayList<>();
        try (Stream<Path> files = Files.list(folder.resolve("out" + next))) {
            for (Path file : files.filter(f -> f.getFileName().toString().matches("part-.*")).toList()) {
                lines.addAll(Files.readAllLines(file));
            }
        }
        lines.sort((a, b) -> Integer.parseInt(a) - Integer.parseInt(b));
        return lines;
    }

    private static List<String> numbers(int to) {
        return IntStream.range(0, to).mapToObj(Integer::toString).toList();
    }

    private List<OperatorHarness> restored(int readers, List<Sections> written) throws Exception {
        List<OperatorHarness> sinks = new ArrayList<>();
        for (int k = 0; k < readers; k++) {
            OperatorHarness one = files(k, readers).restored().open();
            new Share(k, readers, 256).restore(one.operator().states(), written);
            one.operator().restored();
            sinks.add(one);
        }
        return sinks;
    }

    @Test
    void filesShowEveryRowOnce() throws Exception {
        for (int readers = 1; readers <= 3; readers++) {
            for (boolean committed : List.of(true, false)) {
                next++;
                List<OperatorHarness> two = List.of(files(0, 2).open(), files(1, 2).open());
                feed(two, 0, 5);
                each(two, sink -> OperatorHarness.done(sink.prepare(1)));
                List<Map<String, byte[]>> first = snapshots(two);
                each(two, sink -> OperatorHarness.done(sink.commit(1)));
                feed(two, 5, 9);
                each(two, sink -> OperatorHarness.done(sink.prepare(2)));
                List<Snapshots> begun = two.stream().map(each -> each.beginSnapshot(true)).toList();
                feed(two, 9, 14);
                if (committed) {
                    each(two, sink -> OperatorHarness.done(sink.commit(2)));
                }
                each(two, sink -> OperatorHarness.done(sink.prepare(3)));
                feed(two, 14, 20);
                List<Sections> written = new ArrayList<>();
                for (int k = 0; k < two.size(); k++) {
                    written.add(Snapshots.chain(List.of(first.get(k), begun.get(k).all())));
                    two.get(k).close();
                }
                List<OperatorHarness> sinks = restored(readers, written);
                each(sinks, sink -> OperatorHarness.done(sink.commit(2)));
                assertEquals(numbers(9), shown(), readers + " instances");
                feed(sinks, 9, 30);
                each(sinks, sink -> OperatorHarness.done(sink.prepare(3)));
                each(sinks, sink -> OperatorHarness.done(sink.commit(3)));
                assertEquals(numbers(30), shown(), readers + " instances");
                for (OperatorHarness one : sinks) {
                    one.end();
                    OperatorHarness.done(((Sink) one.operator()).prepare(4));
                    OperatorHarness.done(((Sink) one.operator()).commit(4));
                    ((Sink) one.operator()).succeed();
                    one.close();
                }
                assertEquals(numbers(30), shown());
                try (Stream<Path> left = Files.list(folder.resolve("out" + next))) {
                    assertEquals(List.of(), left.map(f -> f.getFileName().toString()).filter(n -> n.startsWith(".")).toList());
                }
            }
        }
    }

    @Test
    void aConsoleGoesOnCounting() throws Exception {
        for (int readers = 1; readers <= 3; readers++) {
            List<String> lines = new ArrayList<>();
            List<Sections> written = new ArrayList<>();
            for (int k = 0; k < 2; k++) {
                OperatorHarness one = console(lines, k, 2).open();
                for (int n = 0; n < 3; n++) {
                    one.feedRow(0, n);
                }
                written.add(Snapshots.sections(one.snapshot()));
            }
            lines.clear();
            for (int k = 0; k < readers; k++) {
                OperatorHarness one = console(lines, k, readers).restored().open();
                new Share(k, readers, 256).restore(one.operator().states(), written);
                one.operator().restored();
                one.feedRow(0, 7).end();
            }
            long more = lines.stream().filter(line -> line.contains("more rows"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("\\D+", ""))).sum();
            assertEquals(switch (readers) {
                case 1 -> 5;        // 3 + 3 + 1, of which two are printed
                case 2 -> 4;        // twice 3 + 1 and two
                default -> 4;       // and one that has printed its only row
            }, more, lines.toString());
        }
    }

    private static OperatorHarness.Setup console(List<String> lines, int instance, int parallelism) {
        return OperatorHarness.of(() -> new ConsoleSink(lines::addAll, 2)).inputs(ROWS).instance(instance, parallelism);
    }
}
