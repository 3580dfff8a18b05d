package io.despina.expr.catalyst.codegen;

import java.io.Serializable;
import org.apache.spark.sql.catalyst.expressions.Expression;

/**
 * New values for the buffers of one declarative aggregate. All are computed before any is stored.
 *
 * @param filter writes only if it is true; null for always
 * @param slots  the slots for the values, with type and nullability
 */
@SuppressWarnings("serial")     // Spark's expressions are serializable, though their base class does not say so
public record BufferWrite(Expression filter, Expression[] values, BufferSlot[] slots) implements Serializable {
}
