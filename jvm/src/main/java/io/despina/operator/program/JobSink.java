package io.despina.operator.program;

import io.despina.connect.LostException;
import io.despina.connect.Marker;
import io.despina.operator.OperatorContext;
import io.despina.operator.outbox.MarkedSink;
import io.despina.operator.outbox.UnknownCommitException;
import io.despina.packet.Packet;
import io.despina.packet.PacketBlock;
import io.despina.packet.PacketCursor;
import java.io.IOException;
import java.util.Arrays;

/**
 * Gives its rows to a source of another job. With an outbox, an epoch's rows are staged there and then committed, and the other
 * job drops an epoch that it has; without one, each row goes at once.
 */
public final class JobSink implements MarkedSink {
    private static final int PIECE_BYTES = 1 << 17;

    private final JobTarget target;
    private final boolean endsInput;
    private final PacketBlock piece = new PacketBlock(0, PIECE_BYTES);
    /** By which the other job knows the epochs; null where rows leave at once. */
    private String outbox;
    private long epoch;

    /** @param endsInput whether the end of these rows is the end of the other job's input */
    public JobSink(JobTarget target, boolean endsInput) {
        this.target = target;
        this.endsInput = endsInput;
    }

    @Override
    public void open(OperatorContext context) {
        target.open(context);
    }

    @Override
    public boolean blocks() {
        return true;
    }

    /** Nobody is asked: whoever has the epoch drops it when it comes again. So it is enough that the job is there. */
    @Override
    public Marker marker(String name, long of) throws IOException, InterruptedException {
        target.await();
        return Marker.ABSENT;
    }

    @Override
    public void begin(String name, long of) {
        outbox = name;
        epoch = of;
        piece.clear();
    }

    @Override
    public void process(int port, PacketCursor packets) throws IOException, InterruptedException {
        Packet packet;
        while ((packet = packets.next()) != null) {
            if (piece.add(packet)) {
                give();
            }
        }
        give();
    }

    private void give() throws IOException, InterruptedException {
        if (piece.isEmpty()) {
            return;
        }
        byte[] packets = Arrays.copyOf(piece.bytes(), piece.length());
        int rows = piece.packets();
        piece.clear();
        if (outbox == null) {
            target.append(packets, rows);
            return;
        }
        try {
            target.stage(epoch, packets, rows);
        } catch (LostException lost) {
            throw new UnknownCommitException(lost.getMessage(), lost);
        }
    }

    @Override
    public boolean release() throws IOException, InterruptedException {
        if (outbox != null) {
            try {
                target.commit(outbox, epoch);
            } catch (LostException lost) {
                throw new UnknownCommitException(lost.getMessage(), lost);
            }
        }
        return true;
    }

    /** Without an outbox. */
    @Override
    public boolean end() throws IOException, InterruptedException {
        over();
        return true;
    }

    @Override
    public void over() throws IOException, InterruptedException {
        if (endsInput) {
            target.end();
        }
    }

    @Override
    public void close() throws IOException {
        target.close();
    }
}
