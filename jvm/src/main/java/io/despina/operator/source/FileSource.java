package io.despina.operator.source;

import io.despina.expr.RecordParser;
import io.despina.expr.TextOptions;
import io.despina.operator.FileKind;
import io.despina.operator.OperatorContext;
import io.despina.operator.Output;
import io.despina.operator.SnapshotReader;
import io.despina.operator.SnapshotWriter;
import io.despina.operator.Source;
import io.despina.packet.Packet;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Reads the records of files, in path order; each file is read by one instance, and its path says by which. A record that cannot
 * be read goes to {@code on_error} with its file and line.
 */
public final class FileSource implements Source {

    /** How records are written in files. */
    public enum Format {
        CSV, JSON,
        /** Each line is one STRING. */
        TEXT
    }

    /**
     * How lines become packets.
     *
     * @param options      Spark's reader options
     * @param columns      CSV: how many every line has; 0 for as many as the schema, or at least as many
     * @param ignoreExtra  CSV: columns beyond the schema are read over; with {@code columns} 0 there may be any number of them
     * @param unread       CSV: ordinals of columns that need not be read; where they are not, they are NULL
     * @param timeZone     of time stamps that name none
     * @param ansi         as the graph's settings have it
     */
    public record Records(Format format, Map<String, String> options, Schema schema, int columns, boolean ignoreExtra,
            Set<Integer> unread, String timeZone, boolean ansi) {
        public Records {
            options = Map.copyOf(options);
            unread = Set.copyOf(unread);
        }
    }

    /**
     * How files are gone through.
     *
     * @param follow  waits for more at the end of the files, which grow; then there is no end
     * @param speed   how many times as fast as they happened records are replayed, by event time; 0 for as fast as possible
     * @param preload all is read into memory before the first packet leaves
     * @param repeat  how often; 0 without end
     */
    public record Reading(boolean follow, double speed, boolean preload, long repeat) {
        public Reading {
            if (follow && (preload || repeat != 1)) {
                throw new IllegalArgumentException("follow: growing files have no end, so no preload and no repeat");
            }
        }
    }

    /**
     * What to read.
     *
     * @param path      a file, a folder or a glob
     * @param eventTime or null
     * @param parsers   gives Spark's parser, for what the byte-level reader does not read; asked when first needed
     */
    public record Options(String path, Records records, Reading reading, EventTime eventTime,
            Function<TextOptions, RecordParser> parsers) {
        public Options {
            if (reading.speed > 0 && eventTime == null) {
                throw new IllegalArgumentException("replay by event time: the source has no event_time");
            }
        }
    }

    /** How long a source that follows its files waits before it looks for more. */
    static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    /** Bytes of text or packets after which {@link #produce} returns. */
    private static final int BATCH_BYTES = 1 << 16;

    private final Options options;
    private final Replay replay;
    private OperatorContext context;
    private Output out;
    private Watermarks watermarks;
    /** Reading may wait for a network. */
    private boolean remote;
    private FileLines lines;
    private RecordDecoder decoder;
    /** Packets that are decoded and not yet sent: those of the last line, or with {@code preload} of all files. */
    private ScratchPackets pending;
    /** How many of {@link #pending} have been sent. */
    private long sent;
    /** How many of the first ones that come to be pending were sent before a restart. */
    private long sentBefore;
    private boolean loading;
    private long round;
    private boolean wrote;

    public FileSource(Options options) {
        this.options = options;
        loading = options.reading.preload;
        replay = options.reading.speed > 0 ? new Replay(options.reading.speed, options.eventTime.column()) : null;
    }

    @Override
    public void open(OperatorContext context) throws IOException {
        this.context = context;
        out = context.output(0);
        List<Path> files = InputFiles.find(options.path, context.instance(), context.parallelism());
        remote = FileKind.mayBeRemote(files);
        decoder = new RecordDecoder(options, context);
        lines = new FileLines(files, new FileLines.Options(decoder.dialect(), decoder.separator(), options.reading.follow));
        pending = new ScratchPackets(options.records.schema);
        watermarks = options.eventTime == null ? null
                : new Watermarks(options.eventTime, out, context.clock().getAsLong());
    }

    @Override
    public boolean blocks() {
        return remote;
    }

    @Override
    public long produce(long now) throws Exception {
        if (isDone()) {
            return ENDED;
        }
        wrote = false;
        out.due(now);
        long again = loading ? load(now) : run(now);
        if (watermarks != null) {
            watermarks.batchDone(now, wrote);
            again = watermarks.waiting(now, again);
        }
        return again;
    }

    private boolean isDone() {
        return options.reading.repeat != 0 && round >= options.reading.repeat;
    }

    /** Reads on into memory. */
    private long load(long now) throws Exception {
        for (int budget = BATCH_BYTES; budget > 0; budget -= lines.length() + 1) {
            if (!lines.next()) {
                loading = false;
                skipSent();
                break;
            }
            decoder.decode(lines, pending);
        }
        context.stateBytes(pending.bytes());
        return now;
    }

    private long run(long now) throws Exception {
        boolean direct = replay == null && !options.reading.preload;
        PacketWriter writer = out.writer();
        int budget = BATCH_BYTES;
        while (out.hasRoom() && budget > 0) {
            Packet packet = pending.next();
            if (packet != null) {
                long due = replay == null ? now : replay.due(packet, now);
                if (due > now) {
                    pending.unread();
                    return due;
                }
                send(packet, due, writer);
                budget -= packet.size();
                continue;
            }
            if (options.reading.preload || !lines.next()) {
                long next = filesDone(now);
                if (next != now) {
                    return next;
                }
                budget--;
                continue;
            }
            budget -= lines.length() + 1;
            forget();
            if (direct && decoder.decodeInto(lines, writer, watermarks)) {
                wrote = true;
            } else {
                decoder.decode(lines, pending);
                skipSent();
            }
        }
        return now;
    }

    private void send(Packet packet, long due, PacketWriter writer) {
        if (replay != null) {
            out.due(due);
        }
        if (watermarks != null) {
            watermarks.before(packet);
        }
        writer.copy(packet);
        sent++;
        wrote = true;
    }

    private void forget() {
        pending.clear();
        sent = 0;
    }

    private void skipSent() {
        for (; sentBefore > 0 && pending.next() != null; sentBefore--) {
            sent++;
        }
        sentBefore = 0;
    }

    /** @return when to go on, {@code now} for at once */
    private long filesDone(long now) throws IOException {
        if (options.reading.follow) {
            // Waiting, an instance without files would hold back everyone's watermark for ever.
            return lines.hasNoFiles() ? ENDED : now + POLL_NANOS;
        }
        if (sentBefore > 0) {
            throw new IOException("the files end before the position " + position());
        }
        boolean empty = options.reading.preload ? sent == 0 : lines.isEmpty();
        round++;
        sent = 0;
        if (replay != null) {
            replay.restart();
        }
        if (isDone() || empty) {
            return ENDED;
        }
        if (options.reading.preload) {
            pending.rewind();
        } else {
            forget();
            lines.restart();
        }
        return now;
    }

    /** The round, how many packets of the last line (or of all that was loaded) were sent, and the places in files. */
    @Override
    public String position() {
        if (options.reading.preload) {
            return round + " " + Math.max(sent, sentBefore);
        }
        boolean within = hasPending();
        return round + " " + Math.max(within ? sent : 0, sentBefore) + lines.position(within);
    }

    private boolean hasPending() {
        if (pending.next() == null) {
            return false;
        }
        pending.unread();
        return true;
    }

    @Override
    public void seek(String position) throws IOException {
        String head = position.lines().findFirst().orElse("");
        String[] numbers = head.split(" ");
        round = Long.parseLong(numbers[0]);
        sentBefore = Long.parseLong(numbers[1]);
        if (options.reading.preload) {
            return;
        }
        lines.seek(position.substring(head.length()));
    }

    @Override
    public void snapshot(SnapshotWriter writer) throws IOException {
        if (watermarks != null) {
            watermarks.snapshot(writer);
        }
    }

    @Override
    public void restore(SnapshotReader reader) throws IOException {
        if (watermarks != null) {
            watermarks.restore(reader);
        }
    }

    @Override
    public void close() throws IOException {
        if (lines != null) {
            lines.close();
        }
    }
}
