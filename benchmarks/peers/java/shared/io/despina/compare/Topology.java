package io.despina.compare;

import io.despina.compare.hibench.HiBench;
import io.despina.compare.manufacturing.Manufacturing;
import java.io.Serializable;
import java.util.List;

/**
 * What every peer builds in its own API for a work that is more than a relay: a source and operators, one task each.
 *
 * @param operators each after those that it reads from
 */
public record Topology(Source source, List<Operator> operators) implements Serializable {
    private static final long serialVersionUID = 1;

    /** By this name operators read from the source. */
    public static final String SOURCE = "source";

    /** Makes the source where it runs. */
    public interface Source extends Serializable {
        Feeder make(Settings settings);
    }

    /** Makes an operator's step where it runs. */
    public interface StepMaker extends Serializable {
        Step make(Settings settings, int job);
    }

    /**
     * One operator.
     *
     * @param inputs names of those it reads from, in the order of its inputs; one, or two
     * @param isSink it may have more inputs, which are one
     */
    public record Operator(String name, List<String> inputs, StepMaker maker, boolean isSink) implements Serializable {
        private static final long serialVersionUID = 1;

        /** Makes its step and says that it is there. */
        public Step step(Settings settings, int job) {
            Presence.announce(settings, name + job);
            return maker.make(settings, job);
        }
    }

    /** Makes the source and says that it is there. */
    public Feeder feeder(Settings settings) {
        Presence.announce(settings, SOURCE);
        return source.make(settings);
    }

    /** The topology of a work. */
    public static Topology of(String work) {
        return switch (work) {
            case "manufacturing" -> Manufacturing.topology();
            case "fixed_window" -> HiBench.fixedWindow();
            case "word_count" -> HiBench.wordCount();
            default -> throw new IllegalArgumentException("no work " + work);
        };
    }
}
