package io.despina.expr.catalyst.row;

import io.despina.expr.PacketFold;
import io.despina.packet.Schema;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.expressions.Ascending$;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.SortOrder;
import org.apache.spark.sql.catalyst.expressions.SortOrder$;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.Generate;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.catalyst.plans.logical.Repartition;
import org.apache.spark.sql.catalyst.plans.logical.RepartitionByExpression;
import org.apache.spark.sql.catalyst.plans.logical.RepartitionOperation;
import org.apache.spark.sql.catalyst.plans.logical.Sort;
import org.apache.spark.sql.catalyst.plans.logical.SubqueryAlias;
import org.apache.spark.sql.catalyst.plans.logical.Union;
import org.apache.spark.sql.catalyst.plans.logical.Window;
import org.apache.spark.sql.classic.Dataset;
import org.apache.spark.sql.types.DataTypes;
import scala.Option;
import scala.jdk.javaapi.CollectionConverters;

/** Runs a {@link PacketFold} on each sorted group of a Spark batch. */
public final class SortedGroups {

    private SortedGroups() {
    }

    /**
     * The rows that each operator of the fold gives. Several share one sort and one pass: Spark does a part of a query once,
     * however often it occurs there.
     *
     * @param rows  the columns of the fold's input, then the group's number if {@code group} names it. Of a fold with several
     *              inputs: the group's number, if it is named, what {@code order} names, and last for each input a struct of
     *              its columns, NULL but for the one that the row came from
     * @param group name of the group's column; null if all rows are one group, in one partition
     * @param order columns to sort each group by, the event time first
     * @throws IllegalArgumentException for a streaming Dataset, because Spark would fold each micro-batch separately
     */
    public static List<org.apache.spark.sql.Dataset<Row>> fold(org.apache.spark.sql.Dataset<Row> rows, String group,
            List<String> order, PacketFold fold) {
        if (rows.isStreaming()) {
            throw new IllegalArgumentException("a fold in event order runs on Spark batches only");
        }
        Dataset<Row> classic = (Dataset<Row>) rows;
        LogicalPlan plan = classic.queryExecution().analyzed();
        List<Attribute> columns = columns(plan);
        List<Expression> groups = group == null ? List.of() : List.of(column(columns, group));
        List<Expression> by = new ArrayList<>(groups);
        order.forEach(name -> by.add(column(columns, name)));
        List<Expression> read = read(plan, groups.isEmpty() ? null : groups.get(0), fold);
        LogicalPlan folded = new FoldRows(RowGenerator.seq(read), fold).over(sorted(dealt(plan, groups), by));
        List<Schema> outputs = fold.outputs();
        if (outputs.size() == 1) {
            return List.of(Dataset.ofRows(classic.sparkSession(), folded));
        }
        List<Attribute> results = columns(folded);
        LogicalPlan shared = parted(folded, group == null ? List.of() : List.of(column(results, FoldRows.GROUP)));
        List<Expression> one = List.of(column(results, FoldRows.OPERATOR), column(results, FoldRows.PACKET));
        List<org.apache.spark.sql.Dataset<Row>> each = new ArrayList<>();
        for (int k = 0; k < outputs.size(); k++) {
            FoldedRows found = new FoldedRows(RowGenerator.seq(one), k, SparkTypes.struct(outputs.get(k)));
            each.add(Dataset.ofRows(classic.sparkSession(), found.over(shared)));
        }
        return each;
    }

    /** The rows that the one operator of {@code each} gives, over each partition as it is; it needs no order. In streams too. */
    public static org.apache.spark.sql.Dataset<Row> each(org.apache.spark.sql.Dataset<Row> rows, PacketFold each) {
        Dataset<Row> classic = (Dataset<Row>) rows;
        LogicalPlan plan = classic.queryExecution().analyzed();
        return Dataset.ofRows(classic.sparkSession(), new FoldRows(RowGenerator.seq(read(plan, null, each)), each).over(plan));
    }

    private static List<Expression> read(LogicalPlan plan, Expression group, PacketFold fold) {
        List<Attribute> columns = columns(plan);
        List<Expression> read = new ArrayList<>(List.of(group == null ? new Literal(0, DataTypes.IntegerType) : group));
        if (fold.inputs().size() == 1) {
            fold.inputs().get(0).columns().forEach(each -> read.add(column(columns, each.name())));
        } else {
            columns.subList(columns.size() - fold.inputs().size(), columns.size()).forEach(read::add);
        }
        return read;
    }

    /** The rows dealt to partitions by these columns; without any, to one partition, where they may be already. */
    private static LogicalPlan dealt(LogicalPlan rows, List<Expression> by) {
        return by.isEmpty() && inOnePartition(rows) ? new Repartition(1, false, rows) : parted(rows, by);
    }

    /** Whether the rows come from one partition and nothing deals them to more, as far as is easily seen. */
    private static boolean inOnePartition(LogicalPlan plan) {
        if (plan instanceof RepartitionOperation dealing) {
            return dealing.numPartitions() == 1;
        }
        boolean keeps = plan instanceof Project || plan instanceof Filter || plan instanceof Generate || plan instanceof Window
                || plan instanceof SubqueryAlias || plan instanceof Union;
        return keeps && CollectionConverters.asJava(plan.children()).stream().allMatch(SortedGroups::inOnePartition);
    }

    /** The rows shuffled to partitions by these columns; without any, to one partition. */
    private static LogicalPlan parted(LogicalPlan rows, List<Expression> by) {
        return new RepartitionByExpression(RowGenerator.seq(by), rows, by.isEmpty() ? Option.apply(1) : Option.empty(),
                Option.empty());
    }

    private static LogicalPlan sorted(LogicalPlan rows, List<Expression> by) {
        List<SortOrder> orders = by.stream()
                .map(column -> SortOrder$.MODULE$.apply(column, Ascending$.MODULE$, RowGenerator.seq(List.of()))).toList();
        return new Sort(RowGenerator.seq(orders), false, rows, Option.empty());
    }

    private static List<Attribute> columns(LogicalPlan plan) {
        return CollectionConverters.asJava(plan.output());
    }

    private static Attribute column(List<Attribute> columns, String name) {
        return columns.stream().filter(each -> each.name().equals(name)).findFirst()
                .orElseThrow(() -> new IllegalArgumentException("there is no column " + name));
    }
}
