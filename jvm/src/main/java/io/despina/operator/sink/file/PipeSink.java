package io.despina.operator.sink.file;

import io.despina.operator.OperatorContext;
import io.despina.operator.Sink;
import io.despina.operator.record.LineBuffer;
import io.despina.operator.record.RecordEncoder;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Writes lines to another process at once, in the form in which {@link FileSink} writes them to a file. Blocks while that process
 * does not read. Lines leave the engine at once, so nothing is committed.
 */
public final class PipeSink implements Sink {
    private static final int WRITE_BYTES = 1 << 16;

    private final FileSinkOptions options;
    private final Path pipe;
    private final LineBuffer lines = new LineBuffer();
    private OperatorContext context;
    private RecordEncoder encoder;
    private FileChannel out;
    private boolean headed;

    public PipeSink(Path pipe, FileSinkOptions options) {
        this.pipe = pipe;
        this.options = options;
    }

    @Override
    public void open(OperatorContext context) throws IOException {
        this.context = context;
        encoder = RecordEncoder.ofFiles(options.records(), options.formatters(), context.input(0));
        out = FileChannel.open(pipe, StandardOpenOption.WRITE);
    }

    @Override
    public boolean blocks() {
        return true;
    }

    @Override
    public void process(int port, PacketCursor packets) throws Exception {
        head();
        Packet packet;
        while ((packet = packets.next()) != null) {
            encoder.write(packet, lines, context);
            if (lines.size() >= WRITE_BYTES) {
                flush();
            }
        }
        flush();
    }

    private void head() throws IOException {
        if (!headed) {
            headed = true;
            encoder.head(lines);
        }
    }

    private void flush() throws IOException {
        for (ByteBuffer left = ByteBuffer.wrap(lines.bytes(), 0, lines.size()); left.hasRemaining();) {
            out.write(left);
        }
        lines.cut(0);
    }

    @Override
    public boolean end() throws IOException {
        head();
        flush();
        return true;
    }

    @Override
    public void close() throws IOException {
        if (out != null) {
            out.close();
        }
    }
}
