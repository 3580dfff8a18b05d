package io.despina.expr.catalyst.codegen;

import java.io.Serializable;
import org.apache.spark.sql.catalyst.expressions.Expression;

/**
 * New values for the buffers of one declarative aggregate. All are worked out before any is stored.
 *
 * @param filter only where it is true; null: always
 * @param slots  where the values go, with type and nullability
 */
@SuppressWarnings("serial")     // Spark's expressions are serializable, though their base class does not say so
public record BufferWrite(Expression filter, Expression[] values, BufferSlot[] slots) implements Serializable {
}
