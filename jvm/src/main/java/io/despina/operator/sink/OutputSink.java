package io.despina.operator.sink;

import io.despina.operator.OperatorContext;
import io.despina.operator.Sink;
import io.despina.packet.MalformedPacketException;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Writes records as a {@link FileSink} does, to the standard output of the user's program, in UTF-8. They are out of the engine's
 * hands at once.
 */
public final class OutputSink implements Sink {
    private static final int WRITE_BYTES = 1 << 16;

    private final FileSink.Options options;
    private final ConsoleSink.Lines output;
    private final LineBuffer lines = new LineBuffer();
    private OperatorContext context;
    private RecordEncoder encoder;
    private boolean headed;

    /** @param options of which records and formatters count */
    public OutputSink(FileSink.Options options, ConsoleSink.Lines output) {
        this.options = options;
        this.output = output;
    }

    @Override
    public void open(OperatorContext context) {
        this.context = context;
        encoder = new RecordEncoder(options, context.input(0));
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
                print();
            }
        }
        print();
    }

    private void head() throws IOException {
        if (!headed) {
            headed = true;
            encoder.head(lines);
        }
    }

    /** Whole lines, without the last one's end, which whoever prints them adds. */
    private void print() throws InterruptedException {
        if (lines.size() > 0) {
            output.print(List.of(new String(lines.bytes(), 0, lines.size() - 1, StandardCharsets.UTF_8)));
            lines.cut(0);
        }
    }

    @Override
    public boolean end() throws Exception {
        head();
        print();
        return true;
    }
}
