package io.despina.spark.fold;

import io.despina.expr.PacketFold;
import io.despina.packet.Packet;
import java.util.List;

/** Several operators that are fed the same packets, one after the other. Gives the results of each packet before the next. */
final class Folding implements PacketFold.Results {
    private final FoldedOperator[] operators;
    /** Number of the operator whose results are read. */
    private int reading;

    Folding(List<FoldedOperator> operators) {
        this.operators = operators.toArray(FoldedOperator[]::new);
        reading = this.operators.length;
    }

    @Override
    public void take(int port, Packet packet) {
        for (FoldedOperator operator : operators) {
            operator.take(port, packet);
        }
        reading = 0;
    }

    @Override
    public void end() {
        for (FoldedOperator operator : operators) {
            operator.endInput();
        }
        reading = 0;
    }

    @Override
    public boolean next() {
        while (reading < operators.length) {
            if (operators[reading].next()) {
                return true;
            }
            reading++;
        }
        return false;
    }

    @Override
    public int operator() {
        return reading;
    }

    @Override
    public Packet packet() {
        return operators[reading].packet();
    }
}
