package io.despina.control.assembly;

import io.despina.operator.OperatorContext;
import io.despina.operator.Sink;
import io.despina.packet.PacketCursor;
import io.despina.state.State;
import java.io.IOException;
import java.util.List;

/** A sink that tells when its first packets come, and else is the one it wraps. */
final class FirstPacket implements Sink {
    private final Sink sink;
    private final Runnable tell;
    private boolean told;

    FirstPacket(Sink sink, Runnable tell) {
        this.sink = sink;
        this.tell = tell;
    }

    @Override
    public void open(OperatorContext context) throws Exception {
        sink.open(context);
    }

    @Override
    public boolean blocks() {
        return sink.blocks();
    }

    @Override
    public void process(int port, PacketCursor packets) throws Exception {
        if (!told) {
            told = true;
            tell.run();
        }
        sink.process(port, packets);
    }

    @Override
    public boolean watermark(long watermark) throws Exception {
        return sink.watermark(watermark);
    }

    @Override
    public void inputWatermark(int port, long watermark) {
        sink.inputWatermark(port, watermark);
    }

    @Override
    public boolean end() throws Exception {
        return sink.end();
    }

    @Override
    public List<State> states() {
        return sink.states();
    }

    @Override
    public void restored() throws Exception {
        sink.restored();
    }

    @Override
    public long committed() {
        return sink.committed();
    }

    @Override
    public boolean commits() {
        return sink.commits();
    }

    @Override
    public boolean roll(long epoch, long now) throws Exception {
        return sink.roll(epoch, now);
    }

    @Override
    public long rollAt() {
        return sink.rollAt();
    }

    @Override
    public void prepare(long epoch) throws Exception {
        sink.prepare(epoch);
    }

    @Override
    public void commit(long epoch) throws Exception {
        sink.commit(epoch);
    }

    @Override
    public void succeed() throws Exception {
        sink.succeed();
    }

    @Override
    public void abort() throws Exception {
        sink.abort();
    }

    @Override
    public void close() throws IOException {
        sink.close();
    }
}
