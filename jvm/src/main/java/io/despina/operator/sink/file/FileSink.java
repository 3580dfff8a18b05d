package io.despina.operator.sink.file;

import io.despina.operator.OperatorContext;
import io.despina.operator.Sink;
import io.despina.operator.disk.FileAddress;
import io.despina.operator.disk.FileKind;
import io.despina.operator.record.LineBuffer;
import io.despina.operator.record.PacketEncoder;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.state.NamedEntries;
import io.despina.state.State;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.function.LongSupplier;

/**
 * Writes packets to files as Spark would with the same options. Uncommitted files have hidden names; every visible file holds
 * whole lines, even after a kill. It refuses to write where another sink writes. It commits when the whole job has ended, and
 * whenever it rolls. After a successful end the folder holds {@code _SUCCESS}, as with Spark; after a stop it does not.
 */
public final class FileSink implements Sink {
    private static final int WRITE_BYTES = 1 << 16;
    /** Epochs in a file that is put together of theirs, and their bytes: to copy them must not take long. */
    private static final int MOST_PIECES = 64;
    private static final long MOST_TEXT = 1 << 27;
    private static final long MOST_COLUMNS = 1 << 25;

    private final FileSinkOptions options;
    /** All that the graph has written: those for a file system too. */
    private final Map<String, String> settings;
    private final LineBuffer lines = new LineBuffer();
    /** Names in a snapshot. */
    private static final String LAST = "last";
    private static final String HEADED = "headed";
    private static final String COMMITTED = "committed";
    private static final String BEGUN = "begun";
    private static final String ENDED = "ended";
    private static final String SHAPE = "shape";

    private OperatorContext context;
    private OutputDisk disk;
    private OutputFiles files;
    /**
     * Writing may wait for a network. The sink's own thread then waits for the disk, so that it does not occupy the threads that
     * all jobs share.
     */
    private boolean remote;
    private PacketEncoder encoder;
    private String shape;
    private boolean isAppended;
    private LongSupplier clock;
    private long lastEpoch;
    private boolean headed;
    /** Whether it has begun a file, in whatever attempt. */
    private boolean begun;
    /** Whether a file has more than one epoch. */
    private boolean goesOn;
    /** Whether such a file is one from the beginning, and a restored attempt ends it where the snapshot has it. */
    private boolean cuts;
    /** No row follows. */
    private boolean finished;
    private final NamedEntries epochs = new NamedEntries("epochs", this::standing);
    private boolean ended;
    private final RollTime rollTime;
    /** Completes when the last epoch that rolled is visible. */
    private CompletableFuture<Void> rolled = DONE;
    /** Completes, never exceptionally, when the disk has done what it was given. */
    private CompletableFuture<Void> atRest = DONE;

    public FileSink(FileSinkOptions options) {
        this.options = options.withoutSettings();
        settings = options.records().options();
        rollTime = new RollTime(options.roll().everyNanos());
    }

    @Override
    public void open(OperatorContext context) throws IOException {
        this.context = context;
        options.refuse(context.operatorId(), context.input(0));
        clock = context.clock();
        FileSinkOptions.Place place = options.place();
        if (FileKind.isSpecial(place.path())) {
            throw new IOException(place.path() + " is a pipe, a device or a socket, and a file_sink writes only regular files;"
                    + " choose another path");
        }
        disk = FileAddress.isHadoops(place.path())
                ? new HadoopDisk(FileAddress.text(place.path()), settings) : new LocalDisk();
        OutputOptions output = new OutputOptions(place.path(), place.singleFile(), options.ending(),
                options.codec(), place.replace(), owner(), context.takesSnapshots() ? context.attempt() : 0, disk);
        cuts = output.cuts();
        files = new OutputFiles(output, context.instance(), context.parallelism());
        isAppended = options.records().format().isAppended();
        encoder = options.encoder(context.input(0));
        shape = options.shape(context.input(0));
        if (context.isRestored()) {
            files.resume();
        } else {
            files.begin(this::tellLeft);
        }
        remote = files.mayWait();
        goesOn = context.takesSnapshots() && !place.singleFile();
    }

    /** The graph's sink, and the folder of its snapshots: attempts are those of one folder. */
    private String owner() {
        String owner = options.place().graph() + "-" + context.operatorId();
        Path kept = context.keptFolder();
        String all = kept == null ? ""
                : Integer.toHexString(kept.getParent().getParent().toAbsolutePath().toString().hashCode());
        return context.takesSnapshots() ? owner + "~" + all : owner;
    }

    /** Packing a group of rows takes long. */
    @Override
    public boolean blocks() {
        return remote || !isAppended;
    }

    private void tellLeft(Path file) {
        context.leftBehind(disk.text(file));
    }

    @Override
    public void process(int port, PacketCursor packets) throws Exception {
        if (rollTime.isUnset()) {
            rollTime.begin(clock.getAsLong());
        }
        Packet packet;
        while ((packet = packets.next()) != null) {
            head();
            encoder.write(packet, lines, context);
            if (lines.size() >= WRITE_BYTES) {
                flush();
            }
        }
        if (!isAppended) {
            context.stateBytes(encoder.heldBytes());
        }
    }

    private void head() throws IOException {
        if (!headed) {
            headed = true;
            begun = true;
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
        if (context.instance() == 0 && !begun) {
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
    public void finish() {
        finished = true;
    }

    @Override
    public boolean roll(long epoch, long now) throws IOException {
        if (!isFull() && now < rollAt()) {
            return false;
        }
        if (!rolled.isDone()) {
            if (now >= rollAt()) {
                rollTime.retry(now);
            }
            return false;
        }
        awaitRolled();
        endEpoch(epoch);
        files.finish(epoch, false);
        rolled = after(() -> {
            files.force(epoch);
            files.commit(epoch);
        });
        return true;
    }

    private boolean isFull() {
        long bytes = files.written() + lines.size() + encoder.heldBytes();
        return options.roll().bytes() > 0 && bytes >= options.roll().bytes()
                || goesOn && !cuts && (files.pieceCount() >= MOST_PIECES || bytes >= (isAppended ? MOST_TEXT : MOST_COLUMNS));
    }

    /** Runs it when the disk has done what it was given before. */
    private CompletableFuture<Void> after(DiskCall call) {
        return after(call, options.roll().disk());
    }

    private CompletableFuture<Void> after(DiskCall call, Executor threads) {
        CompletableFuture<Void> done = atRest.thenRunAsync(() -> {
            try {
                call.run();
            } catch (IOException e) {
                throw new CompletionException(e);
            }
        }, remote ? Runnable::run : threads);
        atRest = done.exceptionally(failed -> null);
        return done;
    }

    @Override
    public long rollAt() {
        return rollTime.at();
    }

    /** @throws IOException if the last roll failed */
    private void awaitRolled() throws IOException {
        try {
            rolled.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof IOException io ? io : new IOException(e.getCause());
        }
    }

    private void endEpoch(long epoch) throws IOException {
        endLines(epoch);
        rollTime.end();
        headed = options.place().singleFile() && headed;
    }

    private void endLines(long epoch) throws IOException {
        encoder.finish(lines);
        if (lines.size() > 0) {
            flush();
        }
        lastEpoch = Math.max(lastEpoch, epoch);
    }

    @Override
    public CompletableFuture<Void> prepare(long epoch) throws IOException {
        boolean more = !rollTime.endsAt(clock.getAsLong()) && goesOn && !finished && !isFull();
        if (!more) {
            return prepareWhole(epoch);
        }
        endLines(epoch);
        if (cuts) {
            boolean isNew = files.hold(epoch);
            return after(() -> files.forceHeld(isNew));
        }
        headed = headed && isAppended;
        files.finish(epoch, true);
        return after(() -> files.force(epoch));
    }

    @Override
    public CompletableFuture<Void> prepareWhole(long epoch) throws IOException {
        endEpoch(epoch);
        files.finish(epoch, false);
        return CompletableFuture.allOf(rolled, after(() -> files.force(epoch)));
    }

    @Override
    public CompletableFuture<Void> commit(long epoch) {
        lastEpoch = Math.max(lastEpoch, epoch);
        return after(() -> files.commit(epoch));
    }

    @Override
    public boolean shows(long epoch) {
        return PreparedEpoch.isAnySeen(files.standing().pending(), epoch);
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
        atRest.join();
        try {
            if (encoder != null) {
                endLines(lastEpoch);
            }
        } catch (IOException cannotBeWritten) {
            lines.cut(0);
        }
        // those of the job may be gone with it
        after(() -> files.abort(this::tellLeft), ForkJoinPool.commonPool()).join();
    }

    private Map<String, String> standing() {
        Map<String, String> standing = new LinkedHashMap<>();
        standing.put(LAST, Long.toString(lastEpoch));
        standing.put(HEADED, Boolean.toString(headed && (options.place().singleFile() || files.pieceCount() > 0)));
        standing.put(BEGUN, Boolean.toString(begun));
        standing.put(ENDED, Boolean.toString(ended));
        standing.put(SHAPE, shape);
        OutputFiles.Standing now = files.standing();
        standing.put(COMMITTED, Long.toString(now.committed()));
        now.pending().forEach(one -> one.put(standing));
        return standing;
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
            begun |= Boolean.parseBoolean(each.get(BEGUN));
        }
        ended = found.stream().filter(each -> !each.isEmpty()).allMatch(each -> Boolean.parseBoolean(each.get(ENDED)));
        for (int k = context.parallelism(); context.instance() == 0 && k < found.size(); k++) {
            files.commitFor(k, prepared(found.get(k)));
        }
        if (context.instance() < found.size()) {
            Map<String, String> own = found.get(context.instance());
            boolean endsHere = goesOn && !cuts && !own.getOrDefault(SHAPE, shape).equals(shape);
            if (endsHere) {         // the graph has changed: what follows cannot be in that file
                files.commitFor(context.instance(), prepared(own));
            }
            headed = !endsHere && Boolean.parseBoolean(own.get(HEADED));
            files.restore(Long.parseLong(own.get(COMMITTED)), endsHere ? List.of() : prepared(own));
            rollTime.resume(clock.getAsLong(), files.pieceCount() > 0);
        } else {
            files.restore(lastEpoch, List.of());
        }
    }

    /** Where all that was prepared is committed, the file that goes on is still to be ended. */
    private List<PreparedEpoch> prepared(Map<String, String> standing) {
        List<PreparedEpoch> all = PreparedEpoch.all(standing);
        return context.isCommitted() ? PreparedEpoch.going(all) : all;
    }

    @Override
    public void close() throws IOException {
        atRest.join();
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
