package io.despina.operator.connect;

import io.despina.connect.LakeTable;
import io.despina.connect.LakeTable.DataFile;
import io.despina.connect.LakeTable.Shape;
import io.despina.connect.LostException;
import io.despina.connect.Marker;
import io.despina.operator.OperatorContext;
import io.despina.operator.Retries;
import io.despina.operator.outbox.MarkedSink;
import io.despina.operator.outbox.UnknownCommitException;
import io.despina.packet.Column;
import io.despina.packet.Packet;
import io.despina.packet.PacketBlock;
import io.despina.packet.PacketCursor;
import io.despina.packet.Schema;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Writes packets into files of a table. Behind an outbox, a version of the table takes in the files of an epoch, with its
 * marker; else rows are taken in when they have waited long enough, and at barriers.
 */
public final class LakeSink implements MarkedSink {
    /** Rows that are kept before a file is written; the largest partition's goes first. */
    private static final int ROWS_BYTES = 1 << 25;
    /** That the writer of a file keeps. */
    private static final long FILE_BYTES = 24L << 20;
    /** What a partition takes at least. */
    private static final int FIRST_BYTES = 1 << 12;

    private final LakeSinkOptions options;
    private OperatorContext context;
    private LakeTable table;
    private Retries retries;
    /** Null as long as the table was not looked at. */
    private Shape shape;
    private PartitionTexts partitions;
    private List<Integer> required = List.of();
    /** Of {@link #shape}. */
    private LakeFiles writer;
    /** Those that are in no file yet, by the values of the partition columns. */
    private final Map<List<String>, PacketBlock> rows = new LinkedHashMap<>();
    /** Memory that they take. */
    private long held;
    private final List<DataFile> files = new ArrayList<>();
    private String outbox;
    private long epoch;

    public LakeSink(LakeSinkOptions options) {
        this.options = options;
    }

    @Override
    public void open(OperatorContext opened) throws Exception {
        begin(opened);
        look();
    }

    /** A table that is away may come back until the first epoch leaves; anything else that is wrong is told now. */
    @Override
    public void openForLater(OperatorContext opened) throws Exception {
        begin(opened);
        try {
            look();
        } catch (LostException why) {
            context.warn(why.getMessage() + "; rows wait");
        }
    }

    private void begin(OperatorContext opened) throws IOException {
        context = opened;
        context.stateBytes(ROWS_BYTES + FILE_BYTES + (options.keys().isEmpty() ? 0 : LakeFiles.NEWEST_BYTES));
        retries = new Retries(context, options.roll().retryMillis(), Retries.Waiting.REAL);
        table = options.connector().load().table(options.settings().with("schema",
                options.schemaText().apply(context.input(0))), context::warn);
    }

    private void look() throws IOException {
        shape = table.open();
        Schema in = context.input(0);
        partitions = new PartitionTexts(in, shape.partitions(), table);
        required = in.columns().stream().map(Column::name).filter(shape.required()::contains).map(in::indexOf).toList();
        Set<String> inLog = shape.inFiles() ? Set.of() : shape.partitions().stream().map(LakeTable.Partition::column)
                .collect(Collectors.toSet());
        writer = new LakeFiles(table, options, in, in.columns().stream().map(Column::name)
                .filter(each -> !inLog.contains(each)).map(in::indexOf).toList());
    }

    @Override
    public boolean blocks() {
        return true;
    }

    @Override
    public Marker marker(String of, long asked) throws Exception {
        while (true) {
            try {
                if (shape == null) {
                    look();
                }
                Marker found = table.marker(of, asked);
                if (found == Marker.THERE) {
                    retries.reset();
                }
                return found;
            } catch (LostException why) {
                wait(why);
            }
        }
    }

    /** Whoever goes on looks at the table again. */
    private void wait(LostException why) throws IOException, InterruptedException {
        shape = null;
        pause(why);
    }

    private void pause(LostException why) throws IOException, InterruptedException {
        retries.tell(why.getMessage());
        retries.await(0, why.getMessage());
    }

    @Override
    public void begin(String of, long begins) {
        drop();
        outbox = of;
        epoch = begins;
    }

    @Override
    public void process(int port, PacketCursor packets) throws Exception {
        Packet packet;
        while ((packet = packets.next()) != null) {
            String problem = problem(packet);
            if (problem != null) {
                context.badRecord(new IllegalArgumentException(problem), packet);
                if (!context.hasRoom()) {
                    return;
                }
                continue;
            }
            try {
                write(packet);
            } catch (LostException why) {
                throw again(why);
            }
        }
    }

    private String problem(Packet packet) {
        for (int column : required) {
            if (packet.isNull(column)) {
                return "column `" + context.input(0).column(column).name() + "` is NULL, and may not be in the table";
            }
        }
        for (int key : options.keys()) {
            if (packet.isNull(key)) {
                return "key `" + context.input(0).column(key).name() + "` is NULL";
            }
        }
        return shape.inFiles() ? null : partitions.problem(packet);
    }

    private void write(Packet packet) throws IOException, InterruptedException {
        List<String> of = partitions.of(packet);
        if (rows.isEmpty() && files.isEmpty() && outbox == null) {
            context.wakeAt(context.wallMicros() + TimeUnit.MILLISECONDS.toMicros(options.roll().millis()));
        }
        if (held > 0 && held + growth(rows.get(of), packet) > ROWS_BYTES) {
            writeFile(Collections.max(rows.entrySet(), Comparator.comparingInt(each -> each.getValue().length())).getKey());
        }
        PacketBlock block = rows.computeIfAbsent(of, made -> {
            held += FIRST_BYTES;
            return new PacketBlock(0, ROWS_BYTES);
        });
        long before = block.bytes().length;
        block.add(packet);
        held += block.bytes().length - before;
        if (!options.keys().isEmpty() && block.packets() == LakeFiles.MOST_ROWS) {
            writeFile(of);
        }
    }

    private static long growth(PacketBlock block, Packet packet) {
        if (block == null) {
            return Math.max(FIRST_BYTES, packet.size());
        }
        int bytes = block.bytes().length;
        return block.length() + packet.size() > bytes ? Math.max(bytes, packet.size()) : 0;
    }

    /** Without an outbox nobody has the rows besides: they stay until there is a file of them. */
    private void writeFile(List<String> of) throws IOException, InterruptedException {
        PacketBlock block = rows.get(of);
        List<DataFile> written = null;
        while (written == null) {
            try {
                written = writer.write(block, of);
            } catch (LostException why) {
                if (outbox != null) {
                    throw why;
                }
                pause(why);
            }
        }
        files.addAll(written);
        rows.remove(of);
        held -= block.bytes().length;
    }

    /** The rows that wait have waited long enough. */
    @Override
    public boolean timer(long micros) throws Exception {
        return outbox != null || release();
    }

    @Override
    public boolean release() throws Exception {
        if (rows.isEmpty() && files.isEmpty()) {
            return true;
        }
        try {
            while (!rows.isEmpty()) {
                writeFile(rows.keySet().iterator().next());
            }
            take();
        } catch (LostException why) {
            throw again(why);
        }
        files.clear();
        retries.reset();
        return true;
    }

    /** Behind an outbox, the table is asked after a loss; without one, files may be taken in twice. */
    private void take() throws IOException, InterruptedException {
        Shape before = shape;
        LostException last = null;
        while (true) {
            try {
                if (shape == null) {
                    look();
                }
                if (!shape.equals(before)) {
                    throw new IOException("the files are of another table: " + last.getMessage(), last);
                }
                table.append(outbox, epoch, files);
                return;
            } catch (LostException why) {
                if (outbox != null) {
                    throw why;
                }
                last = why;
                wait(why);
            }
        }
    }

    private Exception again(LostException why) throws IOException, InterruptedException {
        if (outbox == null) {
            return why;
        }
        wait(why);
        return new UnknownCommitException(why.getMessage(), why);
    }

    /** What is not in the table is of no use. */
    private void drop() {
        rows.clear();
        held = 0;
        table.drop(files);
        files.clear();
    }

    /** A job that is killed does not wait for the thread that sends: what that one has in its hands stays as it is. */
    @Override
    public void close() throws IOException {
        if (table != null) {
            table.close();
        }
    }
}
