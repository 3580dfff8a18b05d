package io.despina.control.assembly;

import io.despina.catalogue.UserCode;
import io.despina.control.epoch.PlanFacts;
import io.despina.operator.Operator;
import io.despina.plan.Plan;
import io.despina.plan.PlannedOperator;
import io.despina.plan.ReadsFiles;
import io.despina.plan.StandardStreams;
import io.despina.snapshot.Manifest;
import io.despina.spec.Blocking;
import io.despina.state.State;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * What the operators of a plan will keep. Sources, sinks and whatever touches something outside of the job are not asked: they
 * say it when they run.
 */
public final class PlanStates {
    private final Plan plan;
    private final OperatorFactory factory;

    public PlanStates(Plan plan) {
        this.plan = plan;
        factory = new OperatorFactory(plan, null, UserCode.NONE);
    }

    public static PlanFacts of(JobPlan planned) {
        Plan plan = planned.plan();
        PlanStates asked = new PlanStates(plan);
        Map<String, PlanFacts.OperatorFacts> operators = new TreeMap<>();
        for (PlannedOperator each : plan.operators()) {
            operators.put(each.id(), new PlanFacts.OperatorFacts(each.type().word(), each.parallelism(),
                    asked.isQuiet(each) ? asked.states(each) : List.of(), outside(each)));
        }
        return new PlanFacts(plan.name(), plan.settings().buckets(), operators);
    }

    /** The same, of a graph that has not changed: the types of its states are those that there are. */
    public static PlanFacts ofTheSame(JobPlan planned) {
        Map<String, PlanFacts.OperatorFacts> operators = new TreeMap<>();
        for (PlannedOperator each : planned.plan().operators()) {
            operators.put(each.id(), new PlanFacts.OperatorFacts(each.type().word(), each.parallelism(), List.of(),
                    outside(each)));
        }
        return new PlanFacts(planned.plan().name(), planned.plan().settings().buckets(), operators);
    }

    private static PlanFacts.Outside outside(PlannedOperator of) {
        boolean reads = of.type().isSource() && of.spec() instanceof ReadsFiles && !StandardStreams.reads(of.spec());
        return new PlanFacts.Outside(reads ? ((ReadsFiles) of.spec()).path() : null,
                of.type().isSink() ? of.inputs().get(0).schema().toString() : null, of.spec().rescales());
    }

    private boolean isQuiet(PlannedOperator operator) {
        return !operator.type().isSource() && !operator.type().isSink() && operator.spec().userClass() == null
                && operator.spec().pythonFunction() == null
                && operator.spec().blocking() == Blocking.NEVER && !plan.isDivided(operator);
    }

    private List<Manifest.StateType> states(PlannedOperator planned) {
        try (Operator operator = open(planned)) {
            return operator.states().stream().map(PlanStates::type).toList();
        } catch (Exception unknown) {
            return List.of();       // restoring says what does not fit
        }
    }

    private static Manifest.StateType type(State state) {
        return new Manifest.StateType(state.name(), state.rule().name(), state.schema());
    }

    /** Those that may be asked. */
    public Stream<PlannedOperator> quiet() {
        return plan.operators().stream().filter(this::isQuiet);
    }

    /** An instance of one of {@link #quiet}, open, connected with nothing. The caller closes it. */
    public Operator open(PlannedOperator planned) throws Exception {
        Operator operator = factory.supplier(planned).get();
        operator.open(new UnconnectedContext(planned));
        return operator;
    }
}
