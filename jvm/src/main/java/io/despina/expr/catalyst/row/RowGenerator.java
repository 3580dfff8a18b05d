package io.despina.expr.catalyst.row;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.AttributeReference;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Generator;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenContext;
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback;
import org.apache.spark.sql.catalyst.expressions.codegen.ExprCode;
import org.apache.spark.sql.catalyst.plans.logical.Generate;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.trees.TreePattern;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import scala.Enumeration;
import scala.Option;
import scala.collection.IterableOnce;
import scala.collection.immutable.IndexedSeq;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Makes rows from rows, in Spark's own form: no object is made of a row, unlike with functions on Datasets. Spark makes one
 * instance for each task, and gives it all rows of a partition in their order. Two are equal if they do the same, so that Spark
 * finds out where it has done a part of a plan before.
 */
abstract class RowGenerator extends Expression implements Generator, CodegenFallback, java.io.Serializable {
    private static final long serialVersionUID = 1L;

    private final Seq<Expression> children;
    private final StructType output;
    private final Expression[] columns;

    /** @param children the columns that it reads */
    RowGenerator(Seq<Expression> children, StructType output) {
        this.children = children;
        this.output = output;
        columns = CollectionConverters.<Expression>asJava(children).toArray(Expression[]::new);
    }

    /** The plan of the rows that it makes of those of {@code child}. */
    final LogicalPlan over(LogicalPlan child) {
        List<Object> allLeft = IntStream.range(0, child.output().size()).<Object>mapToObj(k -> k).toList();
        List<Attribute> made = Arrays.stream(output.fields()).map(RowGenerator::attribute).toList();
        return new Generate(this, seq(allLeft), false, Option.empty(), seq(made), child);
    }

    private static Attribute attribute(StructField field) {
        return new AttributeReference(field.name(), field.dataType(), field.nullable(), field.metadata(),
                NamedExpression.newExprId(), seq(List.of()));
    }

    static <T> Seq<T> seq(List<? extends T> list) {
        return CollectionConverters.<T>asScala(List.<T>copyOf(list)).toList();
    }

    /** The same that reads other columns. */
    abstract RowGenerator reading(Seq<Expression> columns);

    /** Distinguishes what it does from what others of its class do. */
    abstract Object identity();

    /** A column, by its number among the children, of a row in the form that this instance is given. */
    final Object value(int column, InternalRow row) {
        return columns[column].eval(row);
    }

    @Override
    public abstract IterableOnce<InternalRow> eval(InternalRow row);

    @Override
    public final Seq<Expression> children() {
        return children;
    }

    @Override
    public final Expression withNewChildrenInternal(IndexedSeq<Expression> columns) {
        return reading(columns);
    }

    @Override
    public final StructType elementSchema() {
        return output;
    }

    @Override
    public final DataType dataType() {
        return Generator.super.dataType();
    }

    @Override
    public final boolean foldable() {
        return false;
    }

    @Override
    public final boolean nullable() {
        return Generator.super.nullable();
    }

    @Override
    public final Seq<Enumeration.Value> nodePatterns() {
        return seq(List.of(TreePattern.GENERATOR()));
    }

    @Override
    public final void org$apache$spark$sql$catalyst$expressions$Generator$_setter_$nodePatterns_$eq(Seq<Enumeration.Value> none) {
        // Scala would keep the patterns in a field.
    }

    @Override
    public final ExprCode doGenCode(CodegenContext ctx, ExprCode code) {
        return CodegenFallback.super.doGenCode(ctx, code);
    }

    @Override
    public final int productArity() {
        return 1;
    }

    @Override
    public final Object productElement(int n) {
        return children;
    }

    @Override
    public final boolean canEqual(Object that) {
        return that != null && that.getClass() == getClass();
    }

    @Override
    public final boolean equals(Object that) {
        return canEqual(that) && identity().equals(((RowGenerator) that).identity())
                && children.equals(((RowGenerator) that).children);
    }

    @Override
    public final int hashCode() {
        return 31 * identity().hashCode() + children.hashCode();
    }
}
