package io.despina.catalogue;

import static io.despina.descriptor.CommonFields.EXPRESSION;
import static io.despina.descriptor.CommonFields.TEXT;
import static io.despina.descriptor.FieldSpec.required;

import io.despina.descriptor.Family;
import io.despina.descriptor.OperatorType;
import io.despina.descriptor.Rule;
import io.despina.descriptor.Text;
import io.despina.expr.Compiled;
import io.despina.expr.ProjectionPlan;
import io.despina.expr.Scope;
import io.despina.operator.Operator;
import io.despina.operator.stateless.Explode;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import io.despina.plan.OperatorSpec;
import io.despina.plan.PlanningContext;
import io.despina.plan.PlanningResult;
import io.despina.plan.Prunable;
import io.despina.plan.Snippet;
import io.despina.spec.OnError;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/** {@code explode}. */
public final class ExplodeDefinition extends Definition {
    private static final OperatorType TYPE = new OperatorType("explode", Family.PACKETS,
            "Makes a packet for each element of an array: the columns of the packet, then the "
            + "element. An "
            + "empty array and NULL give none.",
            List.of("in"), List.of("out", "errors"), List.of(
                    required("of", EXPRESSION, "The array."),
                    required("as", TEXT, "What the column of the element is called.")), """
                "each_tag": {"type": "explode", "of": "tags", "as": "tag"}
                """);

    ExplodeDefinition() {
        super(TYPE);
    }

    @Override
    public PlanningResult plan(PlanningContext context) {
        Schema in = context.input().schema();
        Text as = context.fields().text("as");
        if (in.indexOf(as.value()) >= 0) {
            return context.refuse(as.place(), Rule.DUPLICATE_COLUMN, "the packet has a column `" + as.value() + "` already",
                    "give the element another name");
        }
        Text of = context.fields().text("of");
        if (!context.expressions().areUnnamed(List.of(of))) {
            return null;
        }
        ProjectionPlan array = context.expressions().project(Scope.of(in), List.of(Snippet.named(of, as.value())));
        if (array == null) {
            return null;
        }
        if (!(array.result().column(0).type() instanceof Type.Array type)) {
            return context.refuse(of.place(), Rule.COLUMN_TYPE, "`of` is " + array.result().column(0).type().sql()
                    + ", and must be an ARRAY", null);
        }
        Schema out = in.plus(Schema.of(new Column(as.value(), type.element(), type.containsNull())));
        return PlanningResult.of(new ExplodeSpec(array, Set.of()), context.input().with(out, context.input().time()));
    }

    /**
     * A packet per element: the input's columns, then the element, which is the output's last column. A NULL or empty array gives
     * none, as Spark's {@code explode}.
     *
     * @param array  gives one column, an ARRAY
     * @param unread ordinals of input columns that are NULL in the output, because no later operator reads them
     */
    public record ExplodeSpec(ProjectionPlan array, Set<Integer> unread) implements ExecutableSpec, Prunable {
        public ExplodeSpec {
            unread = Set.copyOf(unread);
        }

        @Override
        public List<Compiled<?>> code() {
            return List.of(array.compiled());
        }

        @Override
        public String ownTime() {
            Column element = array.result().column(0);
            Type type = ((Type.Array) element.type()).element();
            return type == Type.Simple.TIMESTAMP ? element.name() : !(type instanceof Type.Struct struct) ? null
                    : struct.fields().stream().filter(field -> field.type() == Type.Simple.TIMESTAMP).findFirst()
                            .map(field -> element.name() + "." + field.name()).orElse(null);
        }

        @Override
        public boolean passesOn() {
            return true;
        }

        @Override
        public boolean isPrunable(OnError onError) {
            return true;
        }

        @Override
        public boolean prunesFor(OperatorSpec reader) {
            return true;
        }

        @Override
        public int own() {
            return 1;
        }

        @Override
        public ExplodeSpec without(Set<Integer> columnsThatNobodyReads) {
            return new ExplodeSpec(array, columnsThatNobodyReads);
        }

        @Override
        public Operator make(InstanceContext making) {
            int columns = making.input(0).schema().size();
            return new Explode(new Explode.Options(array.compiled(), array.result(),
                    IntStream.range(0, columns).map(k -> unread.contains(k) ? Explode.UNREAD : k).boxed().toList()));
        }
    }
}
