package io.despina.placement;

import io.despina.plan.PlannedChain;
import java.util.List;

/**
 * Which task runs in which resource, and which channels connect them. The same plan and deployment always give the same
 * assignment, so every resource can compute it for itself.
 *
 * @param resources names, in the deployment's order
 * @param chains    the plan's chains, cut where neighbours run in different resources
 * @param tasks     by index
 * @param channels  by index
 */
public record Assignment(List<String> resources, List<PlannedChain> chains, List<Task> tasks, List<Channel> channels) {

    public Assignment {
        resources = List.copyOf(resources);
        chains = List.copyOf(chains);
        tasks = List.copyOf(tasks);
        channels = List.copyOf(channels);
    }

    /**
     * One instance of a chain.
     *
     * @param index its index in {@link Assignment#tasks}
     * @param chain place in {@link Assignment#chains}
     */
    public record Task(int index, int chain, int instance, String resource) {
    }

    /**
     * One sending task to one receiving task of a link that is not inside a chain.
     *
     * @param index    its index in {@link Assignment#channels}, which is its number in frames
     * @param link     place in {@code Plan.links}
     * @param sender   place in {@link Assignment#tasks}
     * @param receiver place in {@link Assignment#tasks}
     * @param remote   whether the two run in different resources
     */
    public record Channel(int index, int link, int sender, int receiver, boolean remote) {
    }

    public List<Task> tasksOf(String resource) {
        return tasks.stream().filter(t -> t.resource().equals(resource)).toList();
    }
}
