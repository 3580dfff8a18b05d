package io.despina.control.folder;

import io.despina.control.assembly.JobPlan;
import io.despina.control.assembly.OperatorFactory;
import io.despina.control.epoch.PlanFacts;
import io.despina.operator.Operator;
import io.despina.plan.Plan;
import io.despina.plan.PlannedOperator;
import io.despina.snapshot.Manifest;
import io.despina.spec.Blocking;
import io.despina.state.State;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What the operators of a plan will keep. Sources, sinks and whatever touches something outside of the job are not asked: they
 * say it when they run.
 */
public final class PlanStates {

    private PlanStates() {
    }

    public static PlanFacts of(JobPlan planned) {
        Plan plan = planned.plan();
        OperatorFactory factory = new OperatorFactory(plan, null, null);
        Map<String, PlanFacts.OperatorFacts> operators = new TreeMap<>();
        for (PlannedOperator each : plan.operators()) {
            operators.put(each.id(), new PlanFacts.OperatorFacts(each.type().word(), each.parallelism(),
                    isQuiet(plan, each) ? states(each, factory) : List.of()));
        }
        return new PlanFacts(plan.name(), plan.settings().buckets(), operators);
    }

    private static boolean isQuiet(Plan plan, PlannedOperator operator) {
        return !operator.type().isSource() && !operator.type().isSink() && operator.spec().userClass() == null
                && operator.spec().blocking() == Blocking.NEVER && !plan.isDivided(operator);
    }

    private static List<Manifest.StateType> states(PlannedOperator planned, OperatorFactory factory) {
        try (Operator operator = factory.supplier(planned).get()) {
            operator.open(new UnconnectedContext(planned));
            return operator.states().stream().map(PlanStates::type).toList();
        } catch (Exception unknown) {
            return List.of();       // restoring says what does not fit
        }
    }

    private static Manifest.StateType type(State state) {
        return new Manifest.StateType(state.name(), state.rule().name(), state.schema());
    }
}
