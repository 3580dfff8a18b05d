package io.despina.operator.source;

import static io.despina.spec.Never.NEVER;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.operator.OperatorHarness;
import io.despina.operator.Rows;
import io.despina.operator.Source;
import io.despina.operator.program.InputRows;
import io.despina.operator.program.InputSource;
import io.despina.operator.record.RecordFormat;
import io.despina.operator.source.file.FileSource;
import io.despina.operator.source.file.FileSourceOptions;
import io.despina.operator.source.file.FileSourceOptions.Reading;
import io.despina.packet.Column;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import io.despina.spec.EventTime;
import io.despina.spec.FileFormat;
import io.despina.spec.Follow;
import io.despina.spec.Rate;
import io.despina.spec.Replay;
import io.despina.state.Sections;
import io.despina.state.Share;
import io.despina.state.SnapshotException;
import io.despina.state.Snapshots;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Sources as two instances that a snapshot is taken of between two packets: one, two or three that go on from it bring what is
 * left, nothing twice; also from a second snapshot, before all that the first one had is passed.
 */
class SourceSnapshotTest {
    private static final Schema ROWS = Schema.of(new Column("id", Simple.BIGINT, false));
    private static final long COUNT = 60;

    @TempDir
    Path folder;

    private List<OperatorHarness> open(Supplier<Source> source, int parallelism, List<Sections> from) throws Exception {
        List<OperatorHarness> all = new ArrayList<>();
        for (int k = 0; k < parallelism; k++) {
            OperatorHarness.Setup setup = OperatorHarness.of(source).outputs(ROWS).instance(k, parallelism).room(24, 1);
            OperatorHarness one = from == null ? setup.open() : setup.restored().open();
            if (from != null) {
                new Share(k, parallelism, 256).restore(one.operator().states(), from);
                one.operator().restored();
            }
            all.add(one);
        }
        return all;
    }

    /** Lets each produce a few times. */
    private static void some(List<OperatorHarness> sources, Random random) throws Exception {
        for (OperatorHarness each : sources) {
            for (int left = random.nextInt(12); left > 0 && each.produce() != Source.ENDED; left--) {
                continue;
            }
        }
    }

    private static void came(List<OperatorHarness> sources, List<Long> came) {
        sources.forEach(each -> each.rows(0).forEach(row -> came.add((Long) row.get(0))));
    }

    /** Of some, what has changed since an earlier snapshot is behind that. @param came what came before it is added */
    private static List<Sections> snapshot(List<OperatorHarness> sources, Random random, List<Long> came) throws Exception {
        List<List<Map<String, byte[]>>> chains = new ArrayList<>();
        boolean chained = random.nextBoolean();
        for (OperatorHarness each : sources) {
            chains.add(new ArrayList<>(chained ? List.of(each.snapshot()) : List.of()));
        }
        if (chained) {
            some(sources, random);
        }
        List<Snapshots> begun = sources.stream().map(each -> each.beginSnapshot(chained)).toList();
        came(sources, came);
        some(sources, random);       // goes on, until it is killed
        List<Sections> written = new ArrayList<>();
        for (int k = 0; k < begun.size(); k++) {
            chains.get(k).add(begun.get(k).all());
            written.add(Snapshots.chain(chains.get(k)));
            begun.get(k).close();
            sources.get(k).close();
        }
        return written;
    }

    private void goesOnAtAnyParallelism(Supplier<Source> source) throws Exception {
        for (long seed = 0; seed < 60; seed++) {
            Random random = new Random(seed);
            List<Long> came = new ArrayList<>();
            List<OperatorHarness> two = open(source, 2, null);
            some(two, random);
            int readers = 1 + (int) (seed % 3);
            List<OperatorHarness> next = open(source, readers, snapshot(two, random, came));
            some(next, random);
            List<OperatorHarness> last = open(source, 1 + random.nextInt(3), snapshot(next, random, came));
            for (OperatorHarness each : last) {
                each.produceAll();
                each.close();
            }
            came(last, came);
            came.sort(null);
            assertEquals(LongStream.range(0, COUNT).boxed().toList(), came, "seed " + seed);
        }
    }

    @Test
    void aGenerator() throws Exception {
        GeneratedRows.Select ids = new GeneratedRows.Select(partition -> (in, out) -> out.setColumn(0, in[0], 0), ROWS, 1);
        goesOnAtAnyParallelism(() -> new Generator(new Generator.Options(ids, COUNT, Rate.FLAT_OUT, null)));
        goesOnAtAnyParallelism(() -> new Generator(new Generator.Options(ids, COUNT, new Rate.Constant(1e6), null)));
    }

    private Supplier<Source> files(EventTime time, boolean preload) {
        return () -> new FileSource(new FileSourceOptions(folder.toString(), new RecordFormat.Read(FileFormat.CSV, Map.of(),
                ROWS, 0, false, Set.of(), "UTC", true), new Reading(Follow.NO, Replay.AS_FAST_AS_POSSIBLE, preload, 1),
                time, any -> null));
    }

    private void writeFiles() throws Exception {
        for (int file = 0; file < 5; file++) {
            int at = file;
            Files.write(folder.resolve("f" + file + ".csv"),
                    IntStream.range(0, (int) COUNT).filter(k -> k % 5 == at).mapToObj(Integer::toString).toList());
        }
    }

    @Test
    void filesInTheirOrder() throws Exception {
        writeFiles();
        goesOnAtAnyParallelism(files(null, false));
    }

    @Test
    void filesMergedByTime() throws Exception {
        writeFiles();
        goesOnAtAnyParallelism(files(new EventTime(0, List.of(), 0, NEVER), false));
    }

    @Test
    void filesInMemoryGoOnAtTheSameParallelismAlone() throws Exception {
        writeFiles();
        List<OperatorHarness> two = open(files(null, true), 2, null);
        some(two, new Random(1));
        List<Sections> written = snapshot(two, new Random(1), new ArrayList<>());
        String refused = assertThrows(SnapshotException.class, () -> open(files(null, true), 3, written)).getMessage();
        assertTrue(refused.contains("of which 2 instances wrote the snapshot, cannot go on with 3"), refused);
    }

    private String goesOnAfter(String left) throws Exception {
        Path file = folder.resolve("one.csv");
        Files.write(file, IntStream.range(0, 50).mapToObj(Integer::toString).toList());
        List<OperatorHarness> one = open(files(null, false), 1, null);
        one.get(0).produce();
        List<Sections> written = snapshot(one, new Random(1), new ArrayList<>());
        if (left == null) {
            Files.delete(file);
            Files.writeString(folder.resolve("another.csv"), "1");
        } else {
            Files.writeString(file, left);
        }
        return assertThrows(IOException.class, () -> open(files(null, false), 1, written).get(0).produceAll()).getMessage()
                .replace(folder.toString(), "");
    }

    @Test
    void aFileThatIsShorterThanItsPlaceIsNamed() throws Exception {
        String words = goesOnAfter("0\n");
        assertTrue(words.matches("/one.csv has become shorter: the source was to go on at byte \\d+"), words);
    }

    @Test
    void aFileThatIsGoneIsNamed() throws Exception {
        assertEquals("cannot go on with a file that does not exist: /one.csv", goesOnAfter(null));
    }

    @Test
    void rowsOfAProgram() throws Exception {
        PacketWriter all = Rows.growing(ROWS);
        for (long k = 0; k < 10; k++) {
            all.begin().setLong(0, k);
            all.commit();
        }
        byte[] packets = Arrays.copyOf(all.bytes(), all.position());
        Supplier<Source> source = () -> new InputSource(instance -> new InputRows() {
            private boolean given;

            @Override
            public byte[] next() {
                byte[] next = given ? null : packets;
                given = true;
                return next;
            }

            @Override
            public boolean hasEnded() {
                return given;
            }
        }, null, true);
        List<Long> came = new ArrayList<>();
        List<OperatorHarness> one = open(source, 1, null);
        one.get(0).produce();
        List<Sections> written = snapshot(one, new Random(3), came);
        List<OperatorHarness> next = open(source, 1, written);
        next.get(0).produceAll();
        came(next, came);
        assertEquals(LongStream.range(0, 10).boxed().toList(), came);
        assertTrue(assertThrows(SnapshotException.class, () -> open(source, 2, written)).getMessage()
                .contains("cannot go on at 2"));
    }
}
