package io.despina.operator.source.file;

import io.despina.operator.OperatorContext;
import io.despina.operator.Output;
import io.despina.operator.Source;
import io.despina.operator.record.ScratchPackets;
import io.despina.operator.source.time.ReplayClock;
import io.despina.operator.source.time.Watermarks;
import io.despina.packet.Packet;
import io.despina.packet.PacketWriter;
import io.despina.state.NamedEntries;
import io.despina.state.SnapshotException;
import io.despina.state.State;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/**
 * Reads the records of files: merged by event time if there is one, else in path order; growing files take turns. One instance
 * reads each file; the path determines which. A record that cannot be read goes to {@code on_error} with its file and line.
 */
public final class FileSource implements Source {

    /** Bytes of text or packets after which {@link #produce} returns. */
    private static final int BATCH_BYTES = 1 << 16;
    /** Opening a file takes about as long as reading so many bytes. */
    private static final int OPENING_BYTES = 1 << 12;
    /**
     * After so many packets in a row from one file, the source guesses that the next ones come from it too, and decodes them
     * straight to the output.
     */
    private static final int STRAIGHT = 4;

    private final FileSourceOptions options;
    private final FileSourceOptions.Outside outside;
    private final ReplayClock replay;
    private OperatorContext context;
    private Output out;
    private Watermarks watermarks;
    private FileOpener opener;
    private FileOrder files;
    /** With {@code preload} the packets of all files, else null. */
    private ScratchPackets loaded;
    private boolean loading;
    /** The writer of the output; while loading, that of {@link #loaded}. */
    private PacketWriter writer;
    /** The file whose turn it is. */
    private SourceFile file;
    /** The current file's packets with a later event time wait for other files' packets. */
    private long limit;
    /** How many lines of the current file were read in this turn. */
    private int straight;
    private long round;
    /** How many of {@link #loaded} were sent in this round; while loading, how many were sent before a restart. */
    private long sent;
    /** Whether this round has found a record. */
    private boolean found;
    private boolean wrote;
    /** The size reported as state. */
    private long stateBytes;
    private final NamedEntries places = new NamedEntries("place", this::place);

    public FileSource(FileSourceOptions options) {
        this(options, FileSourceOptions.Outside.NONE);
    }

    public FileSource(FileSourceOptions options, FileSourceOptions.Outside outside) {
        this.options = options;
        this.outside = outside;
        loading = options.reading().preload();
        replay = !options.reading().replay().isByEventTime() ? null
                : new ReplayClock(options.reading().replay().speed(), options.eventTime().column());
    }

    @Override
    public void open(OperatorContext context) throws IOException {
        this.context = context;
        out = context.output(0);
        opener = new FileOpener(options, outside, context);
        files = opener.open();
        loaded = loading ? new ScratchPackets(options.records().schema()) : null;
        writer = loading ? loaded.writer() : out.writer();
        watermarks = options.eventTime() == null ? null
                : new Watermarks(options.eventTime(), out, context.clock(), options.reading().replay());
    }

    @Override
    public boolean blocks() {
        return opener.isSlow();
    }

    @Override
    public long produce(long now) throws Exception {
        if (isDone()) {
            return ENDED;
        }
        wrote = false;
        out.due(now);
        long again = loaded == null || loading ? read(now) : sendLoaded(now);
        if (file != null && loaded == null) {
            file.letGo();
        }
        if (watermarks != null) {
            watermarks.batchDone(now, wrote);
            again = watermarks.waiting(now, again);
        }
        if (again != ENDED && files.files().isEmpty()) {
            nothingToRead();
        }
        long held = files.heldBytes() + (loaded == null ? 0 : loaded.bytes());
        if (held != stateBytes) {
            stateBytes = held;
            context.stateBytes(held);
        }
        return again;
    }

    /** It may get a file later; until then it must not hold back the watermark. */
    private void nothingToRead() {
        if (watermarks == null) {
            out.idle();
        } else {
            watermarks.nothingToRead();
        }
    }

    private boolean isDone() {
        return options.reading().repeat() != 0 && round >= options.reading().repeat();
    }

    /** Continues reading, into the output or into memory. */
    private long read(long now) throws Exception {
        for (int budget = BATCH_BYTES - nextTurn(); budget > 0 && (loading || context.hasRoom());) {
            if (file == null) {
                return filesDone(now);
            }
            Packet packet = file.pending().next();
            if (packet != null) {
                if (isLaterThanOthers(packet)) {
                    budget -= nextTurn();
                    continue;
                }
                long due = loading ? now : due(packet, now);
                if (due > now) {
                    file.pending().unread();
                    return due;
                }
                budget -= packet.size();
                send(packet, due);
                file.countSent();
            } else if (file.next()) {
                budget -= file.records().length() + 1;
                decode();
            } else {
                files.atEnd();
                budget -= nextTurn();
            }
        }
        return now;
    }

    /** @return its cost, as a number of bytes read */
    private int nextTurn() throws IOException {
        file = files.current();
        limit = files.limit();
        straight = 0;
        if (watermarks != null) {
            watermarks.limit(limit);
        }
        return file != null && !file.hasRead() ? OPENING_BYTES : 0;
    }

    /** Whether another file's packet comes before this one. If so, this packet waits and the turn passes to that file. */
    private boolean isLaterThanOthers(Packet packet) throws IOException {
        if (limit == Long.MAX_VALUE || packet.isNull(options.eventTime().column())) {
            return false;
        }
        long micros = packet.getLong(options.eventTime().column());
        if (micros <= limit) {
            return false;
        }
        file.pending().unread();
        files.passTurn(micros);
        return true;
    }

    /** Decodes the record found last: straight to the writer if possible, else to the file's pending packets. */
    private void decode() throws Exception {
        found = true;
        boolean direct = limit == Long.MAX_VALUE ? loading || replay == null
                : ++straight > STRAIGHT && !loading && replay == null;
        FileRecords record = file.records();
        if (direct && record.decodeInto(writer, loading ? null : watermarks)) {
            wrote = !loading;
        } else {
            record.decode(file.pending());
            file.decoded();
        }
    }

    private long due(Packet packet, long now) {
        return replay == null ? now : replay.due(packet, now);
    }

    private void send(Packet packet, long due) {
        if (loading) {
            writer.copy(packet);
            return;
        }
        if (replay != null) {
            out.due(due);
        }
        if (watermarks != null) {
            watermarks.before(packet);
        }
        writer.copy(packet);
        wrote = true;
    }

    private long sendLoaded(long now) throws IOException {
        for (int budget = BATCH_BYTES; budget > 0 && out.hasRoom();) {
            Packet packet = loaded.next();
            if (packet == null) {
                return roundDone(now, sent == 0);
            }
            long due = due(packet, now);
            if (due > now) {
                loaded.unread();
                return due;
            }
            budget -= packet.size();
            send(packet, due);
            sent++;
        }
        return now;
    }

    /** @return when to continue; {@code now} for at once */
    private long filesDone(long now) throws IOException {
        long again = files.rest(now);
        if (again != ENDED) {
            return again;
        }
        if (!loading) {
            return roundDone(now, !found);
        }
        loading = false;
        writer = out.writer();
        for (long k = 0; k < sent; k++) {
            if (loaded.next() == null) {
                throw new IOException("the files end before the place " + place());
            }
        }
        return now;
    }

    private long roundDone(long now, boolean empty) throws IOException {
        round++;
        sent = 0;
        found = false;
        if (replay != null) {
            replay.restart();
        }
        if (isDone() || empty) {
            return ENDED;
        }
        if (loaded != null) {
            loaded.rewind();
        } else {
            for (SourceFile each : files.files()) {
                each.seek(FileMark.start(each.path()));
            }
            files.restart();
        }
        return now;
    }

    private Map<String, String> place() {
        List<FileMark> marks = files.files().stream()
                .map(each -> loaded == null ? each.mark() : FileMark.start(each.path())).toList();
        return new FilePlace(options.path(), round, sent, marks).entries();
    }

    @Override
    public List<State> states() {
        return watermarks == null ? List.of(places) : List.of(places, watermarks.state());
    }

    /** A file without a mark is new and is read too, except with {@code preload}, whose set of files is fixed. */
    @Override
    public void restored() throws IOException {
        List<Map<String, String>> found = places.restored();
        boolean same = found.size() == context.parallelism();
        if (!same && (loaded != null || options.reading().repeat() != 1)) {
            throw new SnapshotException("a source with preload or repeat, of which " + found.size()
                    + " instances wrote the snapshot, cannot go on with " + context.parallelism());
        }
        FilePlace place = FilePlace.of(found, context.instance(), context.parallelism());
        round = place.round();
        sent = place.sent();
        this.found = true;
        if (loaded != null) {
            files = opener.order(place.marks().stream().map(FileMark::path).toList());
        } else {
            files.seek(place.marks());
        }
        if (watermarks != null) {
            watermarks.restored();
        }
    }

    @Override
    public void close() throws IOException {
        if (files != null) {
            files.close();
        }
        if (opener != null) {
            opener.close();
        }
    }
}
