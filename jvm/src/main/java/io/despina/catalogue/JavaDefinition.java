package io.despina.catalogue;

import static io.despina.descriptor.CommonFields.EXPRESSION;
import static io.despina.descriptor.CommonFields.EXPRESSIONS;
import static io.despina.descriptor.CommonFields.FLAG;
import static io.despina.descriptor.CommonFields.OPTIONS;
import static io.despina.descriptor.CommonFields.TEXT;
import static io.despina.descriptor.FieldSpec.optional;
import static io.despina.descriptor.FieldSpec.or;
import static io.despina.descriptor.FieldSpec.required;

import io.despina.api.PureOperator;
import io.despina.descriptor.Ddl;
import io.despina.descriptor.Family;
import io.despina.descriptor.FieldKind;
import io.despina.descriptor.FieldSpec;
import io.despina.descriptor.Format;
import io.despina.descriptor.OperatorType;
import io.despina.descriptor.Rule;
import io.despina.descriptor.Text;
import io.despina.descriptor.Values;
import io.despina.expr.Compiled;
import io.despina.expr.ProjectionPlan;
import io.despina.operator.Operator;
import io.despina.operator.order.Keys;
import io.despina.operator.user.UserClass;
import io.despina.operator.user.UserOperator;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.plan.EventTimes;
import io.despina.plan.OperatorSpec;
import io.despina.plan.PlanningContext;
import io.despina.plan.PlanningResult;
import io.despina.plan.Promise;
import io.despina.plan.Snippet;
import io.despina.plan.Stream;
import io.despina.plan.Target;
import io.despina.plan.TimePerKey;
import io.despina.plan.UserPromises;
import io.despina.spec.SinkGuarantee;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/** {@code java}. */
public final class JavaDefinition extends Definition {
    static final FieldSpec CLASS = required("class", TEXT, "The full name of the class.");
    static final FieldSpec OPTIONS_OF_CLASS = optional("options", OPTIONS, "none", "Texts for the class.");
    static final FieldSpec BLOCKS = or("blocks", FLAG, "false", "true: the class may wait in its calls, as for an answer from a "
            + "network. Each instance then has a thread of its own.");

    private static final String INPUTS = "inputs";
    private static final String OUTPUTS = "outputs";
    private static final OperatorType TYPE = new OperatorType("java", Family.CLASSES,
            "Runs a class of yours that implements `io.despina.api.RowOperator`; see docs/java-operators.md. It "
            + "takes packets in the order in which they arrive; an ordered `union` before it gives event order. "
            + "The stream at `out` keeps the event time if `schema` has its column, and the class must write that as it came."
            + "\n- With `inputs` and `outputs` it has more ports: the class chooses the way of each row. Between the packets of "
            + "two input ports there is no order. Event time is kept only if the streams at all of them have it.",
            List.of("in"), List.of("out", "errors"), List.of(
                    CLASS,
                    optional("schema", new FieldKind.Ddl(false), "the input's", "The columns of what leaves, as Spark DDL."),
                    optional("group_by", EXPRESSIONS, "one group", "What its state is kept by. Packets for which these have the "
                            + "same values come to the same instance. Without it, a class that keeps state can have one "
                            + "instance."),
                    optional(INPUTS, new FieldKind.MapOf(Format.ID, "input port", new FieldKind.ListOf(EXPRESSION, 0)),
                            "`in` alone", "Further input ports, and for each by what its packets come to a state: as many "
                            + "expressions as `group_by` has, in its order and of its types; `[]` where there is no `group_by`."),
                    optional(OUTPUTS, new FieldKind.MapOf(Format.ID, "output port", new FieldKind.Ddl(false)), "`out` alone",
                            "Further output ports, and the columns of what leaves by each, as Spark DDL. Each needs a link."),
                    OPTIONS_OF_CLASS, BLOCKS), """
                "news": {
                  "type": "java",
                  "class": "com.acme.Changes",
                  "group_by": ["device"],
                  "schema": "ts TIMESTAMP, id BIGINT, device STRING, change DOUBLE",
                  "options": {"least": "0.5"}
                }
                """).withPortsOf(OUTPUTS).withInputsOf(INPUTS);

    JavaDefinition() {
        super(TYPE);
    }

    @Override
    public PlanningResult plan(PlanningContext context) {
        Values fields = context.fields();
        Stream in = context.input();
        Schema out = fields.isWritten("schema") ? schema(fields.text("schema").value()) : in.schema();
        List<Snippet> groupBy = Snippet.of(fields.texts("group_by"));
        ProjectionPlan keys = groupBy.isEmpty() ? null : context.expressions().keys(in.schema(), groupBy);
        if (keys == null && !groupBy.isEmpty() || !haveNames(context)) {
            return null;
        }
        List<FurtherKeys> inputs = inputs(context, keys);
        if (inputs == null) {
            return null;
        }
        List<String> ports = List.copyOf(fields.lists(INPUTS).keySet());
        Map<String, Schema> outputs = new LinkedHashMap<>();
        fields.strings(OUTPUTS).forEach((port, ddl) -> outputs.put(port, schema(ddl)));
        JavaSpec spec = new JavaSpec(fields.string("class", ""), new JavaPorts(out, outputs, ports, inputs), keys,
                fields.strings("options"), fields.flag("blocks"), isTimed(context) ? null
                        : "a stream at one of its inputs has none");
        List<List<String>> texts = new ArrayList<>(List.of(Snippet.sql(groupBy)));
        inputs.forEach(each -> texts.add(each.texts()));
        PlanningResult planned = new PlanningResult(spec, stream(context, out), texts, null);
        for (Map.Entry<String, Schema> each : outputs.entrySet()) {
            planned = planned.with(each.getKey(), stream(context, each.getValue()));
        }
        return planned;
    }

    /** What leaves by a port. Its event time is that of the first input; no time is known if an input has none. */
    private static Stream stream(PlanningContext context, Schema out) {
        Stream in = context.input();
        return new Stream(out, EventTimes.through(isTimed(context) ? in.time() : null, origins(in.schema(), out)),
                context.isUnbounded());
    }

    private static boolean isTimed(PlanningContext context) {
        return context.inputs().stream().allMatch(each -> each.time() != null);
    }

    /** Whether no further port is called like one that every operator of the type has; reports it. */
    private static boolean haveNames(PlanningContext context) {
        Values fields = context.fields();
        return areFree(context, INPUTS, fields.lists(INPUTS).keySet(), TYPE.inputs())
                & areFree(context, OUTPUTS, fields.namedTexts(OUTPUTS).keySet(), TYPE.outputs());
    }

    private static boolean areFree(PlanningContext context, String field, Set<String> names, List<String> taken) {
        for (String name : names) {
            if (taken.contains(name)) {
                context.refuse(context.fields().place(field), Rule.BAD_NAME, "every `java` has a port `" + name
                        + "` of its own", "give the port another name");
                return false;
            }
        }
        return true;
    }

    /** The keys of further inputs; null after a refusal. */
    private static List<FurtherKeys> inputs(PlanningContext context, ProjectionPlan groups) {
        List<FurtherKeys> all = new ArrayList<>();
        boolean sound = true;
        for (Map.Entry<String, List<Text>> each : context.fields().lists(INPUTS).entrySet()) {
            Stream stream = context.inputs().get(1 + all.size());
            FurtherKeys keys = FurtherKeys.read(context, stream.schema(), new FurtherKeys.Written(INPUTS + "." + each.getKey(),
                    context.fields().place(INPUTS), each.getValue()), groups == null ? null : groups.result());
            sound &= keys != null;
            all.add(keys);
        }
        return sound ? all : null;
    }

    static Schema schema(String ddl) {
        try {
            return Ddl.parse(ddl);
        } catch (Ddl.DdlException unreadable) {
            throw new IllegalArgumentException("`" + ddl + "`: " + unreadable.getMessage(), unreadable);
        }
    }

    static List<OperatorSpec.SparkGap> noSparkForm(String type, String hint) {
        return List.of(new OperatorSpec.SparkGap("`" + type + "` runs a class in the engine's own tasks", hint));
    }

    /** By output column, the input column of the same name and type, or -1. */
    static List<Integer> origins(Schema in, Schema out) {
        return IntStream.range(0, out.size()).map(k -> {
            int found = in.indexOf(out.column(k).name());
            return found >= 0 && in.column(found).type().equals(out.column(k).type()) ? found : -1;
        }).boxed().toList();
    }

    /**
     * The ports of a class.
     *
     * @param out     schema of port {@code out}
     * @param outputs schemas of further outputs, in the order of their numbers
     * @param names   of further inputs
     * @param inputs  by further input, by what its packets come to a state
     */
    public record JavaPorts(Schema out, Map<String, Schema> outputs, List<String> names, List<FurtherKeys> inputs) {
        public JavaPorts {
            outputs = Collections.unmodifiableMap(new LinkedHashMap<>(outputs));
            names = List.copyOf(names);
            inputs = List.copyOf(inputs);
        }

        private List<UserOperator.Out> leaving() {
            List<UserOperator.Out> all = new ArrayList<>(List.of(new UserOperator.Out("out", out)));
            outputs.forEach((port, schema) -> all.add(new UserOperator.Out(port, schema)));
            return all;
        }

        /** All inputs. A key of the state may be NULL if it may be at one of them. */
        private List<UserOperator.In> arriving(InstanceContext making, ProjectionPlan first) {
            List<ProjectionPlan> plans = new ArrayList<>(Arrays.asList(first));
            inputs.forEach(each -> plans.add(each.plan()));
            List<UserOperator.In> all = new ArrayList<>();
            for (int k = 0; k < plans.size(); k++) {
                Keys keys = making.keys(plans.get(k));
                all.add(new UserOperator.In(k == 0 ? "in" : names.get(k - 1), keys.isNone() ? keys
                        : new Keys(common(plans), keys.projection(), keys.buckets())));
            }
            return all;
        }

        private static Schema common(List<ProjectionPlan> plans) {
            Schema first = plans.get(0).result();
            return new Schema(IntStream.range(0, first.size()).mapToObj(k -> new Column(first.column(k).name(),
                    first.column(k).type(), plans.stream().anyMatch(each -> each.result().column(k).nullable()))).toList());
        }
    }

    /**
     * The class and its ports.
     *
     * @param keys of the state; null if all packets belong together
     */
    public record JavaSpec(String className, JavaPorts ports, ProjectionPlan keys, Map<String, String> options, boolean blocks,
            String losesTime) implements ExecutableSpec {
        public JavaSpec {
            options = Map.copyOf(options);
        }

        @Override
        public String userClass() {
            return className;
        }

        @Override
        public List<Compiled<?>> code() {
            List<Compiled<?>> all = new ArrayList<>(Arrays.asList(keys == null ? null : keys.compiled()));
            ports.inputs.forEach(each -> all.add(each.plan() == null ? null : each.plan().compiled()));
            return all;
        }

        @Override
        public Promise<SinkGuarantee> leaves(UserPromises user) {
            return user.keeps(className, PureOperator.class) ? null
                    : new Promise<>(SinkGuarantee.AT_LEAST_ONCE, "what class " + className
                    + " does outside of the job is done again for packets after the last epoch",
                    "if it does nothing outside, let it implement io.despina.api.PureOperator");
        }

        @Override
        public List<SparkGap> sparkGaps(Target target) {
            return noSparkForm("java", "say it with `scan`, `aggregate` or `project`, if it has to run there");
        }

        @Override
        public boolean passesOn() {
            return true;
        }

        @Override
        public TimePerKey timePerKey() {
            return ports.names.isEmpty() ? TimePerKey.UNUSED : TimePerKey.REFUSED;
        }

        @Override
        public boolean keepsAll() {
            return false;
        }

        @Override
        public boolean isKeyed() {
            return keys != null;
        }

        @Override
        public Operator make(InstanceContext making) {
            UserClass user = new UserClass(className, making.around().user().classes());
            return new UserOperator(new UserOperator.Options(user, options, ports.leaving(), ports.arriving(making, keys),
                    JavaDefinition::schema));
        }
    }
}
