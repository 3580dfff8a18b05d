package io.despina.spark.fold;

import io.despina.catalogue.UserCode;
import io.despina.expr.catalyst.row.PacketRows;
import io.despina.expr.catalyst.row.RowEncoding;
import io.despina.packet.Packet;
import io.despina.spark.function.SparkPython;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.streaming.ExpiredTimerInfo;
import org.apache.spark.sql.streaming.OutputMode;
import org.apache.spark.sql.streaming.StatefulProcessor;
import org.apache.spark.sql.streaming.TTLConfig;
import org.apache.spark.sql.streaming.TimeMode;
import org.apache.spark.sql.streaming.TimerValues;
import org.apache.spark.sql.streaming.ValueState;
import scala.collection.AbstractIterator;
import scala.collection.Iterator;
import scala.collection.Iterator$;

/**
 * An operator of a graph in Spark's hands. Spark's state of a group is what the operator's last step left. A group has one timer
 * at most: the watermark at which packets that wait in the state may leave it.
 */
final class StreamedFold extends StatefulProcessor<Row, Row, Row> {
    private static final long serialVersionUID = 1L;
    private static final String STATE = "operator";

    private final OperatorText text;
    /** Null if it calls no Python function. */
    private final SparkPython python;
    private transient ResumedFold fold;
    private transient RowEncoding[] inputs;
    private transient PacketRows results;
    private transient ValueState<byte[]> kept;

    StreamedFold(OperatorText text, SparkPython python) {
        this.text = text;
        this.python = python;
    }

    @Override
    public void init(OutputMode mode, TimeMode time) {
        kept = getHandle().getValueState(STATE, Encoders.BINARY(), TTLConfig.NONE());
    }

    @Override
    public Iterator<Row> handleInputRows(Row group, Iterator<Row> rows, TimerValues timers) {
        return new Step(rows, timers.getCurrentWatermarkInMs(), ResumedFold.NONE);
    }

    @Override
    public Iterator<Row> handleExpiredTimer(Row group, TimerValues timers, ExpiredTimerInfo expired) {
        return new Step(Iterator$.MODULE$.empty(), timers.getCurrentWatermarkInMs(), expired.getExpiryTimeInMs());
    }

    /** The driver initialises a processor too, and folds nothing. */
    private ResumedFold ready() {
        if (fold == null) {
            fold = new ResumedFold(text, python == null ? UserCode.NONE
                    : new UserCode(null, python.inTask(text.operator(), text, text.python())));
            inputs = fold.inputs().stream().map(RowEncoding::new).toArray(RowEncoding[]::new);
            results = new PacketRows(fold.result());
        }
        return fold;
    }

    /** One step of one group; its end writes the state and sets the timer. */
    private final class Step extends AbstractIterator<Row> {
        private final java.util.Iterator<Packet> folded;
        /** Spark removes that timer itself. */
        private final long expired;
        private boolean ended;

        Step(Iterator<Row> rows, long watermark, long expired) {
            this.expired = expired;
            folded = ready().step(kept.exists() ? kept.get() : null, new Arrivals(rows), watermark);
        }

        @Override
        public boolean hasNext() {
            boolean more = folded.hasNext();
            if (!more && !ended) {
                ended = true;
                keep();
            }
            return more;
        }

        @Override
        public Row next() {
            return results.of(folded.next());
        }

        private void keep() {
            if (fold.left() == null) {
                kept.clear();
            } else {
                kept.update(fold.left());
            }
            long before = fold.earlierVisit();
            long after = fold.nextVisit();
            if (before != after && before != ResumedFold.NONE && before != expired) {
                getHandle().deleteTimer(before);
            }
            if (before != after && after != ResumedFold.NONE) {
                getHandle().registerTimer(after);
            }
        }
    }

    /** Rows of Spark's as packets of the inputs that they came from. */
    private final class Arrivals implements ResumedFold.Arriving {
        private final Iterator<Row> rows;
        private int port;
        private Packet packet;

        Arrivals(Iterator<Row> rows) {
            this.rows = rows;
        }

        @Override
        public boolean next() {
            if (!rows.hasNext()) {
                return false;
            }
            Row row = rows.next();
            port = 0;
            while (row.isNullAt(StreamedGroups.BEFORE + port)) {
                port++;
            }
            packet = inputs[port].of(row.getStruct(StreamedGroups.BEFORE + port));
            return true;
        }

        @Override
        public int port() {
            return port;
        }

        @Override
        public Packet packet() {
            return packet;
        }
    }
}
