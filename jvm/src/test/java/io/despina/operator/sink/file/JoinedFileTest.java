package io.despina.operator.sink.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.expr.Expressions;
import io.despina.expr.FileRows;
import io.despina.expr.FileRowsWriter;
import io.despina.operator.Rows;
import io.despina.packet.Column;
import io.despina.packet.PacketCursor;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import io.despina.state.ScratchPacket;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JoinedFileTest {
    private static final Schema LONGS = Schema.of(new Column("n", Simple.BIGINT, false));
    private static final int ROWS = 40_000;

    @TempDir
    Path folder;
    /** The most bytes that were asked for at once. */
    private int most;

    private final class Watched extends FilterInputStream {
        Watched(InputStream in) {
            super(in);
        }

        @Override
        public int read(byte[] to, int from, int length) throws IOException {
            most = Math.max(most, length);
            return super.read(to, from, length);
        }

        @Override
        public byte[] readAllBytes() {
            throw new AssertionError("a piece is read as a whole");
        }
    }

    private OutputOptions options() {
        LocalDisk local = new LocalDisk();
        OutputDisk disk = (OutputDisk) Proxy.newProxyInstance(OutputDisk.class.getClassLoader(),
                new Class<?>[] {OutputDisk.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("open")) {
                        return new Watched(local.open((Path) arguments[0]));
                    }
                    try {
                        return method.invoke(local, arguments);
                    } catch (InvocationTargetException failed) {
                        throw failed.getCause();
                    }
                });
        return new OutputOptions(folder, false, "snappy.parquet", null, false, "job", 1, disk);
    }

    /** A piece of numbers that cannot be packed. */
    private Path piece(String name, Random random, List<Long> all) throws IOException {
        Path piece = folder.resolve(name);
        try (OutputStream out = Files.newOutputStream(piece)) {
            FileRowsWriter writer = Expressions.parquetWriter(out, new FileRowsWriter.Options(LONGS, Map.of(), "UTC", true));
            List<List<Object>> rows = new ArrayList<>();
            for (int k = 0; k < ROWS; k++) {
                all.add(random.nextLong());
                rows.add(Rows.row(all.get(all.size() - 1)));
            }
            byte[] packets = Rows.encode(LONGS, rows);
            PacketCursor cursor = PacketCursor.reusing(LONGS.layout());
            cursor.reset(packets, 0, packets.length);
            for (var packet = cursor.next(); packet != null; packet = cursor.next()) {
                writer.write(packet);
            }
            writer.finish();
        }
        return piece;
    }

    private List<Long> read(Path file) throws Exception {
        List<Long> found = new ArrayList<>();
        ScratchPacket scratch = new ScratchPacket(LONGS.layout(), 1 << 10);
        try (FileRows rows = Expressions.parquet(file.toUri().toString(),
                new FileRows.Options(LONGS, Map.of(), Set.of(), "UTC", true), 0)) {
            while (rows.next()) {
                rows.write(scratch.begin());
                found.add(scratch.commit().getLong(0));
            }
        }
        return found;
    }

    @Test
    void aPieceOfParquetIsNeverInMemoryAsAWhole() throws Exception {
        List<Long> all = new ArrayList<>();
        Random random = new Random(1);
        List<Path> pieces = List.of(piece("a", random, all), piece("b", random, all));
        Path whole = folder.resolve("whole.snappy.parquet");
        new JoinedFile(options()).write(pieces, whole);
        assertEquals(all, read(whole));
        assertTrue(most < Files.size(pieces.get(0)) / 4, () -> "at once " + most + " bytes");
    }

    @Test
    void aPieceThatIsGoneIsMissedByName() throws Exception {
        List<Path> pieces = List.of(piece("a", new Random(1), new ArrayList<>()), folder.resolve("b"));
        assertThrows(NoSuchFileException.class, () -> new JoinedFile(options()).write(pieces, folder.resolve("whole")));
    }
}
