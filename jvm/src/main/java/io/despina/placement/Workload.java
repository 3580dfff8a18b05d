package io.despina.placement;

import io.despina.plan.Plan;
import io.despina.plan.PlannedChain;
import io.despina.plan.PlannedLink;
import io.despina.plan.PlannedOperator;
import io.despina.spec.Partition;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;

/**
 * The work of a graph in pieces, each of which runs on one machine, and what flows between them.
 *
 * @param together pieces, by their numbers, whose functions one process calls: they run on one machine too
 */
public record Workload(List<Piece> pieces, List<Flow> flows, List<List<Integer>> together) {
    private static final double NANOS_PER_S = 1e9;

    public Workload {
        pieces = List.copyOf(pieces);
        flows = List.copyOf(flows);
        together = together.stream().map(List::copyOf).toList();
    }

    /** Of pieces each of which may run anywhere. */
    public Workload(List<Piece> pieces, List<Flow> flows) {
        this(pieces, flows, List.of());
    }

    /**
     * One instance of operators that run in one task.
     *
     * @param operators in their order
     * @param busy      the share of its time for which the task is busy on the machine of {@link Loops#REFERENCE}; above 1 it
     *                  takes less than comes
     * @param fixed     the machine to which the deployment binds it; {@link #FREE} if it does not
     */
    public record Piece(List<String> operators, int instance, double busy, int fixed) {
        public static final int FREE = -1;

        public Piece {
            operators = List.copyOf(operators);
        }
    }

    /** What one piece sends to another. */
    public record Flow(int from, int to, double bytesPerS) {
    }

    /** The same flows between pieces that are as busy as was measured. @param busy of a piece, as it has it */
    public Workload busy(ToDoubleFunction<Piece> busy) {
        return new Workload(pieces.stream().map(each -> new Piece(each.operators, each.instance, busy.applyAsDouble(each),
                each.fixed)).toList(), flows, together);
    }

    /** @param deployment whose rules bind operators */
    public static Workload of(Plan plan, Deployment deployment, Park park, Costs costs, Rates rates) {
        List<Piece> pieces = new ArrayList<>();
        Map<String, Integer> firstOf = new HashMap<>();
        for (PlannedChain chain : plan.chains()) {
            for (List<String> operators : cut(chain, deployment)) {
                double busy = busy(plan, operators, costs, rates) / chain.parallelism();
                List<String> bound = bound(plan, deployment, operators);
                operators.forEach(each -> firstOf.put(each, pieces.size()));
                for (int i = 0; i < chain.parallelism(); i++) {
                    pieces.add(new Piece(operators, i, busy, bound == null ? Piece.FREE
                            : park.indexOf(bound.get(i % bound.size()))));
                }
            }
        }
        List<Flow> flows = new ArrayList<>();
        for (PlannedLink link : plan.links()) {
            if (!firstOf.get(link.from()).equals(firstOf.get(link.to()))) {
                PlannedOperator from = plan.operator(link.from());
                double bytes = rates.taken().get(from.id()) * costs.ratio(from, link) * costs.bytes(from, link);
                connect(link, new Ends(firstOf.get(from.id()), from.parallelism(), firstOf.get(link.to()),
                        plan.operator(link.to()).parallelism()), bytes, flows);
            }
        }
        return new Workload(pieces, flows, together(plan, firstOf));
    }

    /** Where the deployment has operators of a piece, or of one before it whose process they share; null if it says nothing. */
    private static List<String> bound(Plan plan, Deployment deployment, List<String> operators) {
        return operators.stream().map(deployment::placed).filter(each -> each != null).findFirst()
                .orElseGet(() -> before(plan, operators.get(0)).map(deployment::placed).orElse(null));
    }

    /** The first of those whose process an operator shares; empty if it begins a process. */
    private static Optional<String> before(Plan plan, String operator) {
        Optional<String> from = plan.links().stream().filter(link -> link.shared() && link.to().equals(operator))
                .map(PlannedLink::from).findFirst();
        return from.map(each -> before(plan, each).orElse(each));
    }

    private static List<List<Integer>> together(Plan plan, Map<String, Integer> firstOf) {
        Map<Integer, List<Integer>> together = new TreeMap<>();
        for (PlannedOperator operator : plan.operators()) {
            Optional<String> from = before(plan, operator.id());
            for (int i = 0; i < operator.parallelism() && from.isPresent(); i++) {
                int first = firstOf.get(from.get()) + i;
                together.computeIfAbsent(first, its -> new ArrayList<>(List.of(its))).add(firstOf.get(operator.id()) + i);
            }
        }
        return List.copyOf(together.values());
    }

    /** The pieces of a chain: it is cut before an operator that the deployment binds otherwise than those of its piece. */
    private static List<List<String>> cut(PlannedChain chain, Deployment deployment) {
        Map<String, String> heads = new HashMap<>();
        Map<String, List<String>> bound = new HashMap<>();
        String first = chain.id();
        heads.put(first, first);
        bound.put(first, deployment.placed(first));
        return chain.cut((before, operator) -> {
            List<String> its = deployment.placed(operator);
            String head = heads.get(before);
            boolean together = its == null || bound.get(head) == null || its.equals(bound.get(head));
            heads.put(operator, together ? head : operator);
            if (its != null) {
                bound.put(heads.get(operator), its);
            }
            return together;
        }).stream().map(PlannedChain::operators).toList();
    }

    private static double busy(Plan plan, List<String> operators, Costs costs, Rates rates) {
        return operators.stream().mapToDouble(id -> rates.taken().get(id)
                * costs.nanos(plan.operator(id), id.equals(operators.get(0))) / NANOS_PER_S).sum();
    }

    /** @param from the first piece of the operator that sends; {@code senders}: how many it has */
    private record Ends(int from, int senders, int to, int receivers) {
    }

    private static void connect(PlannedLink link, Ends ends, double bytes, List<Flow> flows) {
        boolean forward = link.partition() instanceof Partition.Forward;
        int channels = forward ? ends.senders : ends.senders * ends.receivers;
        for (int i = 0; i < ends.senders; i++) {
            for (int k = 0; k < ends.receivers; k++) {
                if (!forward || i == k) {
                    flows.add(new Flow(ends.from + i, ends.to + k, bytes / channels));
                }
            }
        }
    }
}
