package io.despina.plan;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiPredicate;

/**
 * Operators that run as one task per instance, each reading what the one before it writes. Several read what one writes where
 * that chooses a port for each packet.
 *
 * @param operators    ids, at least one, each behind the one that it reads from
 * @param before       by operator, the one that it reads from; without the first
 * @param parallelism  of each operator
 */
public record PlannedChain(List<String> operators, Map<String, String> before, int parallelism) {

    public PlannedChain {
        operators = List.copyOf(operators);
        before = Map.copyOf(before);
    }

    /** The first operator's id, which names the chain. */
    public String id() {
        return operators.get(0);
    }

    /**
     * Cuts the chain.
     *
     * @param together whether an operator (the second) may run in the task of the one that it reads from
     */
    public List<PlannedChain> cut(BiPredicate<String, String> together) {
        List<List<String>> pieces = new ArrayList<>();
        Map<String, List<String>> pieceOf = new HashMap<>();
        for (String operator : operators) {
            String reads = before.get(operator);
            boolean stays = reads != null && together.test(reads, operator);
            List<String> piece = stays ? pieceOf.get(reads) : new ArrayList<>();
            if (!stays) {
                pieces.add(piece);
            }
            piece.add(operator);
            pieceOf.put(operator, piece);
        }
        return pieces.stream().map(this::piece).toList();
    }

    private PlannedChain piece(List<String> its) {
        Map<String, String> within = new HashMap<>();
        its.stream().skip(1).forEach(operator -> within.put(operator, before.get(operator)));
        return new PlannedChain(its, within, parallelism);
    }
}
