package io.despina.python;

import io.despina.arrow.Batches;
import io.despina.operator.Rows;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import io.despina.wake.Waker;
import java.util.List;

/** In place of a Python process: answers at once with twice the value of a BIGINT column. */
public final class TwiceProcess extends StandInProcess {
    private static final Schema RETURNED = Schema.of(new Column("twice", Type.Simple.BIGINT, true));

    private final Schema crossed;

    /** @param column that is read */
    public TwiceProcess(FunctionSpec function, String column, Waker waker) {
        super(waker);
        crossed = Schema.of(function.input().column(function.input().indexOf(column)));
        say(new WorkerEvent.Opened(List.of(column)));
    }

    @Override
    public void send(long number, byte[] message) {
        List<List<Object>> rows = Batches.decode(crossed, message).stream().map(row -> Rows.row(2 * (Long) row.get(0))).toList();
        say(new WorkerEvent.Rows(number, Batches.encode(RETURNED, rows), true));
    }
}
