package io.despina.operator.sink;

import io.despina.operator.FileAddress;
import io.despina.operator.FileKind;
import io.despina.operator.OperatorContext;
import io.despina.operator.Sink;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import io.despina.spec.FileFormat;
import io.despina.state.NamedEntries;
import io.despina.state.State;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.LongSupplier;

/**
 * Writes packets to files as Spark would with the same options. Uncommitted files have hidden names; every visible file holds
 * whole lines, even after a kill. It refuses to write where another sink writes. It commits when the whole job has ended, and
 * whenever it rolls. After a successful end the folder holds {@code _SUCCESS}, as with Spark; after a stop it does not.
 */
public final class FileSink implements Sink {

    private static final int WRITE_BYTES = 1 << 16;
    /** How long the next roll waits while the last one is not on disk. */
    private static final long RETRY_NANOS = 100_000_000;

    private final FileSinkOptions options;
    /** All that the graph has written: those for a file system too. */
    private final Map<String, String> settings;
    private final LineBuffer lines = new LineBuffer();
    /** Names in a snapshot. */
    private static final String LAST = "last";
    private static final String HEADED = "headed";
    private static final String COMMITTED = "committed";
    private static final String PENDING = "pending ";

    private OperatorContext context;
    private OutputDisk disk;
    private OutputFiles files;
    /**
     * Writing may wait for a network. The sink's own thread then waits for the disk, so that it does not occupy the threads that
     * all jobs share.
     */
    private boolean remote;
    private PacketEncoder encoder;
    private boolean isText;
    private LongSupplier clock;
    private long lastEpoch;
    private boolean headed;
    private final NamedEntries epochs = new NamedEntries("epochs", this::standing);
    private boolean ended;
    /** When the first row arrived that is not visible yet; {@link #NEVER} if there is none. */
    private long firstAt = NEVER;
    /** Completes when the last epoch that rolled is visible. */
    private CompletableFuture<Void> rolled = CompletableFuture.completedFuture(null);

    public FileSink(FileSinkOptions options) {
        this.options = options.withoutSettings();
        settings = options.records().options();
    }

    @Override
    public void open(OperatorContext context) throws IOException {
        this.context = context;
        refuseUnwritable(context.input(0));
        clock = context.clock();
        FileSinkOptions.Place place = options.place();
        if (FileKind.isSpecial(place.path())) {
            throw new IOException(place.path() + " is a pipe, a device or a socket, and a file_sink writes only regular files;"
                    + " choose another path");
        }
        disk = FileAddress.isHadoops(place.path())
                ? new HadoopDisk(FileAddress.text(place.path()), settings) : new LocalDisk();
        files = new OutputFiles(new OutputOptions(place.path(), place.singleFile(), ending(options.records()),
                options.records().codec(), place.replace(), place.graph() + "-" + context.operatorId(), disk),
                context.instance(), context.parallelism());
        isText = options.records().format().isText();
        encoder = isText ? new RecordEncoder(options, context.input(0))
                : new RowEncoder(options.records(), context.input(0));
        if (context.isRestored()) {
            files.resume();
        } else {
            files.begin(this::tellLeft);
        }
        remote = files.mayWait();
    }

    /** The ending of part files' names. */
    private static String ending(FileSinkOptions.Records records) {
        if (!records.format().isText()) {
            return ParquetCodec.ending(records.options());
        }
        String plain = records.format() == FileFormat.TEXT ? "txt" : records.format().word();
        return records.codec() == null ? plain : plain + "." + records.codec().ending();
    }

    /** Packing a group of rows takes long. */
    @Override
    public boolean blocks() {
        return remote || !isText;
    }

    private void tellLeft(Path file) {
        context.leftBehind(disk.text(file));
    }

    private void refuseUnwritable(Schema schema) {
        if (options.records().format() == FileFormat.TEXT
                && (schema.size() != 1 || schema.column(0).type() != Type.Simple.STRING)) {
            throw new IllegalArgumentException(context.operatorId() + ": format text writes one STRING column, not " + schema);
        }
    }

    @Override
    public void process(int port, PacketCursor packets) throws Exception {
        if (firstAt == NEVER && options.roll().everyNanos() > 0) {
            firstAt = clock.getAsLong();
        }
        Packet packet;
        while ((packet = packets.next()) != null) {
            head();
            encoder.write(packet, lines, context);
            if (lines.size() >= WRITE_BYTES) {
                flush();
            }
        }
        if (!isText) {
            context.stateBytes(encoder.heldBytes());
        }
    }

    private void head() throws IOException {
        if (!headed) {
            headed = true;
            encoder.head(lines);
        }
    }

    private void flush() throws IOException {
        files.write(lines.bytes(), lines.size());
        lines.cut(0);
    }

    @Override
    public boolean end() throws IOException {
        ended = true;
        if (context.instance() == 0 && lastEpoch == 0) {
            head();
            flush();
        }
        return true;
    }

    @Override
    public boolean commits() {
        return true;
    }

    @Override
    public boolean roll(long epoch, long now) throws IOException {
        long bytes = files.written() + lines.size() + encoder.heldBytes();
        boolean full = options.roll().bytes() > 0 && bytes >= options.roll().bytes();
        boolean old = now >= rollAt();
        if (!full && !old) {
            return false;
        }
        if (!rolled.isDone()) {
            firstAt = old ? now - options.roll().everyNanos() + RETRY_NANOS : firstAt;
            return false;
        }
        awaitRolled();
        endEpoch(epoch);
        files.rename(epoch);
        rolled = CompletableFuture.runAsync(() -> show(epoch), remote ? Runnable::run : options.roll().disk());
        return true;
    }

    private void show(long epoch) {
        try {
            files.force(epoch);
            files.commit(epoch);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public long rollAt() {
        return firstAt == NEVER ? NEVER : firstAt + options.roll().everyNanos();
    }

    /** @throws IOException if the last roll failed */
    private void awaitRolled() throws IOException {
        try {
            rolled.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof UncheckedIOException io ? io.getCause() : new IOException(e.getCause());
        }
    }

    private void endEpoch(long epoch) throws IOException {
        encoder.finish(lines);
        if (lines.size() > 0) {
            flush();
        }
        firstAt = NEVER;
        headed = options.place().singleFile() && headed;
        lastEpoch = Math.max(lastEpoch, epoch);
    }

    @Override
    public void prepare(long epoch) throws IOException {
        awaitRolled();
        endEpoch(epoch);
        files.prepare(epoch);
    }

    @Override
    public void commit(long epoch) throws IOException {
        files.commit(epoch);
        lastEpoch = Math.max(lastEpoch, epoch);
    }

    @Override
    public void succeed() throws IOException {
        if (ended) {
            files.succeed();
        }
    }

    @Override
    public void abort() throws IOException {
        if (files == null) {
            return;
        }
        rolled.handle((nothing, failure) -> null).join();
        try {
            if (encoder != null) {
                encoder.finish(lines);
            }
            if (lines.size() > 0) {
                flush();
            }
        } catch (IOException cannotBeWritten) {
            lines.cut(0);
        }
        files.abort(this::tellLeft);
    }

    private Map<String, String> standing() {
        Map<String, String> standing = new LinkedHashMap<>();
        standing.put(LAST, Long.toString(lastEpoch));
        standing.put(HEADED, Boolean.toString(headed && options.place().singleFile()));
        standing.put(COMMITTED, Long.toString(files.lastCommitted()));
        for (OutputFiles.Pending one : files.pending()) {
            standing.put(PENDING + one.epoch(), one.offset() + " " + one.bytes());
        }
        return standing;
    }

    private static List<OutputFiles.Pending> pending(Map<String, String> standing) {
        List<OutputFiles.Pending> pending = new ArrayList<>();
        standing.forEach((name, text) -> {
            if (name.startsWith(PENDING)) {
                String[] numbers = text.split(" ");
                pending.add(new OutputFiles.Pending(Long.parseLong(name.substring(PENDING.length())),
                        Long.parseLong(numbers[0]), Long.parseLong(numbers[1])));
            }
        });
        return pending;
    }

    @Override
    public List<State> states() {
        return List.of(epochs);
    }

    /** The first instance commits the prepared epochs of instances that no longer exist, because their snapshot was completed. */
    @Override
    public void restored() throws IOException {
        List<Map<String, String>> found = epochs.restored();
        for (Map<String, String> each : found) {
            lastEpoch = Math.max(lastEpoch, Long.parseLong(each.getOrDefault(LAST, "0")));
        }
        if (context.instance() == 0) {
            for (int k = context.parallelism(); k < found.size(); k++) {
                files.commitFor(k, pending(found.get(k)));
            }
        }
        if (context.instance() < found.size()) {
            Map<String, String> own = found.get(context.instance());
            headed = Boolean.parseBoolean(own.get(HEADED));
            files.restore(Long.parseLong(own.get(COMMITTED)), pending(own));
        } else {
            files.restore(lastEpoch, List.of());
        }
    }

    @Override
    public long committed() {
        return files.lastCommitted();
    }

    @Override
    public void close() throws IOException {
        try {
            if (files != null) {
                files.close();
            }
        } finally {
            if (disk != null) {
                disk.close();
            }
        }
    }
}
