package io.despina.expr.catalyst.codegen;

import io.despina.expr.catalyst.analysis.Scala;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.codegen.CodeBlock;
import org.apache.spark.sql.catalyst.expressions.codegen.CodeGenerator;
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenContext;
import org.apache.spark.sql.catalyst.expressions.codegen.ExprCode;
import org.apache.spark.sql.catalyst.expressions.codegen.FalseLiteral$;
import org.apache.spark.sql.types.DataType;
import scala.collection.immutable.IndexedSeq;
import scala.collection.immutable.Seq;

/** An expression without children that reads one value from an {@link InputRow}. */
public abstract class Leaf extends Expression implements java.io.Serializable {
    private static final long serialVersionUID = 1L;

    private final DataType dataType;
    private final boolean nullable;

    protected Leaf(DataType dataType, boolean nullable) {
        this.dataType = dataType;
        this.nullable = nullable;
    }

    @Override
    public final Seq<Expression> children() {
        return Scala.seq();
    }

    @Override
    public final Expression withNewChildrenInternal(IndexedSeq<Expression> none) {
        return this;
    }

    /** A Java expression for whether the value is null. */
    protected abstract String nullCode();

    /** A Java expression that reads the value, in the type that Spark's generated code uses. */
    protected abstract String valueCode(CodegenContext ctx);

    /** Distinguishes this leaf from others of its class. */
    protected abstract Object identity();

    @Override
    public final DataType dataType() {
        return dataType;
    }

    @Override
    public final boolean nullable() {
        return nullable;
    }

    @Override
    public final boolean foldable() {
        return false;
    }

    @Override
    public final ExprCode doGenCode(CodegenContext ctx, ExprCode ev) {
        String java = CodeGenerator.javaType(dataType);
        String value = valueCode(ctx);
        if (!nullable) {
            return ev.copy(block(java + " " + ev.value() + " = " + value + ";\n"), FalseLiteral$.MODULE$, ev.value());
        }
        return ev.copy(block("boolean " + ev.isNull() + " = " + nullCode() + ";\n" + java + " " + ev.value() + " = "
                + ev.isNull() + " ? " + CodeGenerator.defaultValue(dataType, true) + " : " + value + ";\n"),
                ev.isNull(), ev.value());
    }

    private static CodeBlock block(String text) {
        return new CodeBlock(Scala.seq(text), Scala.seq());
    }

    @Override
    public final int productArity() {
        return 1;
    }

    @Override
    public final Object productElement(int n) {
        return identity();
    }

    @Override
    public final boolean canEqual(Object that) {
        return that != null && that.getClass() == getClass();
    }

    @Override
    public final boolean equals(Object that) {
        return canEqual(that) && identity().equals(((Leaf) that).identity());
    }

    @Override
    public final int hashCode() {
        return identity().hashCode();
    }
}
