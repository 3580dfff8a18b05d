package io.despina.placement;

import io.despina.placement.Workload.Piece;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;

/**
 * Where operators should run by what is known, and what is to be expected of that.
 *
 * @param place    by operator, the resources of its instances in turn
 * @param machines one for each resource
 * @param ways     those along which something is sent
 * @param tasks    by machine, as the work's pieces
 * @param greatest of all shares: one divided by it times as much could come
 */
public record Proposal(Map<String, List<String>> place, List<MachineUse> machines, List<WayUse> ways, List<TaskUse> tasks,
        double greatest) {

    /** @param busy processors, of so many that the resource has */
    public record MachineUse(String resource, double busy, double cpus) {
    }

    /** @param share of what the way can carry */
    public record WayUse(String from, String to, double bytesPerS, double share) {
    }

    /** @param busy the share of its time for which the task is busy: at 1 it takes no more */
    public record TaskUse(String resource, List<String> operators, int instance, double busy) {
    }

    /** The best placement that is found. */
    public static Proposal of(Workload work, Park park) {
        return of(work, park, PlacementSearch.of(work, park));
    }

    /** The placement that there is. @param at by piece, its machine */
    public static Proposal standing(Workload work, Park park, ToIntFunction<Piece> at) {
        Loads loads = new Loads(work, park);
        for (int k = 0; k < work.pieces().size(); k++) {
            loads.put(k, at.applyAsInt(work.pieces().get(k)));
        }
        return of(work, park, loads);
    }

    private static Proposal of(Workload work, Park park, Loads loads) {
        List<String> names = park.machines().stream().map(Park.Machine::resource).toList();
        List<MachineUse> machines = new ArrayList<>();
        List<WayUse> ways = new ArrayList<>();
        for (int from = 0; from < names.size(); from++) {
            machines.add(new MachineUse(names.get(from), loads.busy(from), park.machines().get(from).cpus()));
            for (int to = 0; to < names.size(); to++) {
                if (loads.bytesPerS(from, to) > 0) {
                    ways.add(new WayUse(names.get(from), names.get(to), loads.bytesPerS(from, to), loads.share(from, to)));
                }
            }
        }
        Map<String, List<String>> place = new LinkedHashMap<>();
        List<TaskUse> tasks = new ArrayList<>();
        for (int k = 0; k < work.pieces().size(); k++) {
            Piece piece = work.pieces().get(k);
            String where = names.get(loads.place(k));
            tasks.add(new TaskUse(where, piece.operators(), piece.instance(), loads.busyOf(k)));
            piece.operators().forEach(id -> place.computeIfAbsent(id, none -> new ArrayList<>()).add(where));
        }
        place.replaceAll((id, all) -> inTurn(all));
        return new Proposal(place, machines, ways, tasks, loads.greatest());
    }

    /** The fewest names that give the same places when they are taken in turn. */
    private static List<String> inTurn(List<String> all) {
        for (int turn = 1; turn < all.size(); turn++) {
            int length = turn;
            boolean same = true;
            for (int i = length; i < all.size() && same; i++) {
                same = all.get(i).equals(all.get(i % length));
            }
            if (same) {
                return List.copyOf(all.subList(0, length));
            }
        }
        return List.copyOf(all);
    }
}
