package io.despina.python;

import io.despina.operator.Rows;
import io.despina.packet.Column;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import io.despina.wake.Waker;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;

/** In place of a Python process: answers at once with twice the value of a BIGINT column. */
public final class TwiceProcess implements FunctionProcess {
    private static final Schema RETURNED = Schema.of(new Column("twice", Type.Simple.BIGINT, true));

    private final Queue<WorkerEvent> said = new ArrayDeque<>();
    private final Schema crossed;
    private final Waker waker;

    /** @param column that is read */
    public TwiceProcess(FunctionSpec function, String column, Waker waker) {
        crossed = Schema.of(function.input().column(function.input().indexOf(column)));
        this.waker = waker;
        say(new WorkerEvent.Opened(List.of(column)));
    }

    private void say(WorkerEvent event) {
        said.add(event);
        waker.wake();
    }

    @Override
    public WorkerEvent poll() {
        return said.poll();
    }

    @Override
    public void send(long number, byte[] message) {
        BatchReader reader = new BatchReader(crossed);
        PacketWriter rows = Rows.growing(crossed);
        for (int k = 0; k < reader.wrap(message); k++) {
            rows.begin();
            reader.write(k, rows, 0);
            rows.commit();
        }
        BatchWriter answer = new BatchWriter(RETURNED, 0);
        for (List<Object> row : Rows.decode(crossed, rows.bytes(), 0, rows.position())) {
            byte[] packet = Rows.encode(RETURNED, List.of(Rows.row(2 * (Long) row.get(0))));
            PacketCursor cursor = PacketCursor.reusing(RETURNED.layout());
            cursor.reset(packet, 0, packet.length);
            Packet one = cursor.next();
            answer.add(one);
        }
        say(new WorkerEvent.Rows(number, answer.take(), true));
    }

    @Override
    public void pull(long number) {
        throw new UnsupportedOperationException("it is no source");
    }

    @Override
    public CompletableFuture<Void> ask(Request what, long epoch, byte[] payload) {
        throw new UnsupportedOperationException("it is no sink");
    }

    @Override
    public void kill(String why) {
        say(new WorkerEvent.Gone(why));
    }

    @Override
    public void close() {
        said.clear();
    }
}
