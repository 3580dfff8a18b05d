package io.despina.spark.sink;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import java.util.List;
import org.apache.spark.sql.connector.distributions.ClusteredDistribution;
import org.apache.spark.sql.connector.expressions.NamedReference;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class InputShapeTest {

    @ParameterizedTest
    @ValueSource(strings = {"ts", "node.ts", "event time", "event-time", "v[0]", "back`tick", "°C", "1st", "select"})
    void rowsAreDealtAndSortedByAColumnOfAnyName(String time) {
        InputShape shape = new InputShape(new StructType(), List.of(time, "id"), 2);
        ClusteredDistribution dealt = (ClusteredDistribution) shape.distribution();
        assertArrayEquals(new String[] {time}, ((NamedReference) dealt.clustering()[0]).fieldNames());
        assertArrayEquals(new String[] {time}, ((NamedReference) shape.ordering()[0].expression()).fieldNames());
    }
}
