package io.despina.operator.sink;

import io.despina.expr.RecordFormatter;
import io.despina.expr.TextOptions;
import io.despina.operator.OperatorContext;
import io.despina.operator.Sink;
import io.despina.operator.SnapshotReader;
import io.despina.operator.SnapshotWriter;
import io.despina.packet.MalformedPacketException;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * Writes packets to files as Spark would with the same options. What is not committed cannot be seen: it has a hidden name,
 * and every file that can be seen holds whole lines, also after a kill. Where another sink writes it refuses to. When all
 * instances have come to the end of their input the folder holds {@code _SUCCESS}, as Spark's does; after a stop it does not.
 */
public final class FileSink implements Sink {

    /** How records are written. */
    public enum Format {
        CSV("csv"), JSON("json"),
        /** One STRING column, a line each; NULL is an empty line. */
        TEXT("txt");

        private final String ending;

        Format(String ending) {
            this.ending = ending;
        }
    }

    /**
     * How packets become lines.
     *
     * @param options  Spark's writer options
     * @param timeZone where the options name none
     * @param ansi     as the graph's settings have it
     */
    public record Records(Format format, Map<String, String> options, String timeZone, boolean ansi) {
        public Records {
            options = Map.copyOf(options);
        }
    }

    /**
     * What to write.
     *
     * @param path       a folder of part files, or with {@code singleFile} one file
     * @param replace    output of an earlier run is removed at the start; else it is an error
     * @param job        no other job has that name, of this coordinator or another
     * @param formatters gives Spark's formatter, for what is not written byte by byte here; asked when first needed
     */
    public record Options(Path path, boolean singleFile, boolean replace, String job, Records records,
            Function<TextOptions, RecordFormatter> formatters) {
    }

    private static final int WRITE_BYTES = 1 << 16;

    private final Options options;
    private final LineBuffer lines = new LineBuffer();
    private OperatorContext context;
    private OutputFiles files;
    private RecordEncoder encoder;
    private long lastEpoch;
    private boolean headed;
    private boolean ended;

    public FileSink(Options options) {
        this.options = options;
    }

    @Override
    public void open(OperatorContext context) throws IOException {
        this.context = context;
        refuseUnwritable(context.input(0));
        files = new OutputFiles(new OutputFiles.Options(options.path, options.singleFile, options.records.format.ending,
                options.replace, options.job + "-" + context.operatorId()), context.instance(), context.parallelism());
        encoder = new RecordEncoder(options, context.input(0));
        if (context.isRestored()) {
            files.resume();
        } else {
            files.begin();
        }
    }

    private void refuseUnwritable(Schema schema) {
        Map<String, String> named = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        named.putAll(options.records.options);
        String compression = named.getOrDefault("compression", named.getOrDefault("codec", "none"));
        if (!compression.equalsIgnoreCase("none") && !compression.equalsIgnoreCase("uncompressed")) {
            throw new IllegalArgumentException(context.operatorId() + ": option compression=" + compression
                    + " is not supported; leave it out and pack the files afterwards");
        }
        if (options.records.format == Format.TEXT && (schema.size() != 1 || schema.column(0).type() != Type.Simple.STRING)) {
            throw new IllegalArgumentException(context.operatorId() + ": format text writes one STRING column, not " + schema);
        }
    }

    @Override
    public void process(int port, PacketCursor packets) throws Exception {
        Packet packet;
        while ((packet = packets.next()) != null) {
            head();
            int before = lines.size();
            try {
                encoder.write(packet, lines);
            } catch (MalformedPacketException broken) {
                throw broken;
            } catch (RuntimeException why) {
                lines.cut(before);
                context.badRecord(why, packet);
            }
            if (lines.size() >= WRITE_BYTES) {
                flush();
            }
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
    public void prepare(long epoch) throws IOException {
        if (lines.size() > 0) {
            flush();
        }
        files.prepare(epoch);
        headed = options.singleFile && headed;
        lastEpoch = Math.max(lastEpoch, epoch);
    }

    @Override
    public void commit(long epoch) throws IOException {
        files.commit(epoch);
        lastEpoch = Math.max(lastEpoch, epoch);
        if (ended) {
            files.done();
        }
    }

    @Override
    public void abort(long epoch) throws IOException {
        lines.cut(0);
        if (files != null) {
            files.abort(epoch);
        }
    }

    @Override
    public void snapshot(SnapshotWriter writer) throws IOException {
        var section = writer.section("epoch");
        section.writeLong(lastEpoch);
        section.writeBoolean(headed && options.singleFile);
    }

    @Override
    public void restore(SnapshotReader reader) throws IOException {
        var section = reader.section("epoch");
        lastEpoch = section.readLong();
        headed = section.readBoolean();
    }

    @Override
    public void close() throws IOException {
        if (files != null) {
            files.close();
        }
    }
}
