package io.despina.operator.source.file;

import io.despina.operator.OperatorContext;
import io.despina.operator.Output;
import io.despina.operator.Source;
import io.despina.operator.disk.FileAddress;
import io.despina.operator.record.ScratchPackets;
import io.despina.operator.record.csv.HeaderException;
import io.despina.packet.Packet;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/** The records of files, read at once by a file source, for an operator that keeps them. A bad record is an error. */
public final class FileContents implements Closeable {
    private static final int MOST_BYTES = 1 << 20;

    /** Takes a record; the packet is valid until it returns. */
    public interface Taker {
        void take(Packet record) throws Exception;
    }

    private final FileSourceOptions options;
    private final OperatorContext around;
    private List<String> seen = List.of();
    /** Lists the files; null if they are on this machine, or were not looked at. */
    private HadoopFiles hadoop;

    /** @param around of the operator, whose clock and id the source gets */
    public FileContents(FileSourceOptions options, OperatorContext around) {
        this.options = options;
        this.around = around;
    }

    /** Whether the path matches other files than at the last call, or one has another size or time of modification. */
    public boolean hasChanged() throws IOException {
        List<String> now = FileAddress.isHadoops(options.path()) ? marksOfHadoop() : marks();
        boolean changed = !now.equals(seen);
        seen = now;
        return changed;
    }

    private List<String> marks() throws IOException {
        List<String> now = new ArrayList<>();
        for (Path file : InputFiles.all(options.path())) {
            now.add(file + " " + Files.size(file) + " " + Files.getLastModifiedTime(file));
        }
        return now;
    }

    private List<String> marksOfHadoop() throws IOException {
        if (hadoop == null) {
            hadoop = new HadoopFiles(options.path(), options.records().options());
        }
        return hadoop.marks(options.path());
    }

    @Override
    public void close() throws IOException {
        if (hadoop != null) {
            hadoop.close();
        }
    }

    /** Every record, in path order. @throws IOException if one is bad, with its file and line */
    public void read(Taker taker) throws Exception {
        ReadingContext context = new ReadingContext();
        try (FileSource source = new FileSource(options)) {
            source.open(context);
            long again = 0;
            while (again != Source.ENDED) {
                again = source.produce(context.clock().getAsLong());
                Packet packet;
                while ((packet = context.records.next()) != null) {
                    taker.take(packet);
                }
                context.records.clear();
            }
        } catch (HeaderException e) {
            throw e.withoutNames();
        }
    }

    /** Where the source writes: into memory. It is alone, whatever its operator's parallelism. */
    private final class ReadingContext implements OperatorContext, Output {
        private final ScratchPackets records = new ScratchPackets(options.records().schema());

        @Override
        public String operatorId() {
            return around.operatorId();
        }

        @Override
        public int instance() {
            return 0;
        }

        @Override
        public int parallelism() {
            return 1;
        }

        @Override
        public Schema input(int port) {
            throw new IllegalStateException("a source has no inputs");
        }

        @Override
        public Output output(int port) {
            return this;
        }

        @Override
        public int maxPacketBytes() {
            return around.maxPacketBytes();
        }

        @Override
        public LongSupplier clock() {
            return around.clock();
        }

        @Override
        public void warn(String what) {
            around.warn(what);
        }

        @Override
        public void countLate() {
            throw new IllegalStateException("a source has no late packets");
        }

        @Override
        public void badRecord(Exception why, Packet packet) throws IOException {
            throw new IOException(why.getMessage(), why);
        }

        @Override
        public void badRecord(String why, String record) throws IOException {
            throw new IOException(why + ": " + record);
        }

        @Override
        public void stateBytes(long bytes) {
            // what the operator keeps of the records is counted by the operator
        }

        @Override
        public PacketWriter writer() {
            return records.writer();
        }

        @Override
        public boolean hasRoom() {
            return records.bytes() < MOST_BYTES;
        }

        @Override
        public void due(long nanos) {
            // nobody waits for the records
        }

        @Override
        public void watermark(long micros, boolean exact) {
            // the records have no event time
        }

        @Override
        public void idle() {
            // the operator waits for the end
        }
    }
}
