package io.despina.expr.catalyst.row;

import io.despina.packet.Packet;
import io.despina.packet.Schema;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.types.StructType;
import scala.collection.IterableOnce;
import scala.collection.Iterator;
import scala.collection.immutable.Seq;

/**
 * The results of one of several operators that {@link FoldRows} has run. Takes them by itself: Spark would bring a condition on
 * the operator's number to before the rows are shuffled, and then do the fold anew for each operator.
 */
final class FoldedRows extends RowGenerator {
    private static final long serialVersionUID = 1L;

    private final int operator;
    private transient Packet packet;
    private transient PacketRow view;

    /** @param columns {@link FoldRows#OPERATOR} and {@link FoldRows#PACKET} */
    FoldedRows(Seq<Expression> columns, int operator, StructType output) {
        super(columns, output);
        this.operator = operator;
    }

    @Override
    RowGenerator reading(Seq<Expression> columns) {
        return new FoldedRows(columns, operator, elementSchema());
    }

    @Override
    Object identity() {
        return operator;
    }

    @Override
    public IterableOnce<InternalRow> eval(InternalRow row) {
        if ((Integer) value(0, row) != operator) {
            return Iterator.empty();
        }
        if (packet == null) {
            Schema schema = SparkTypes.schema(elementSchema());
            packet = new Packet(schema.layout());
            view = ValueType.row(schema);
        }
        byte[] bytes = (byte[]) value(1, row);
        packet.wrap(bytes, 0, bytes.length);
        return Iterator.single(view.on(packet));
    }

    @Override
    public String toString() {
        return "results of operator " + operator;
    }
}
