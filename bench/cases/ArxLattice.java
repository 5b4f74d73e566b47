import com.sun.management.OperatingSystemMXBean;
import java.io.File;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.deidentifier.arx.ARXAnonymizer;
import org.deidentifier.arx.ARXConfiguration;
import org.deidentifier.arx.ARXPopulationModel;
import org.deidentifier.arx.ARXResult;
import org.deidentifier.arx.AttributeType;
import org.deidentifier.arx.AttributeType.Hierarchy;
import org.deidentifier.arx.Data;
import org.deidentifier.arx.criteria.*;
import org.deidentifier.arx.metric.Metric;
import org.deidentifier.arx.metric.Metric.AggregateFunction;
import org.deidentifier.arx.risk.RiskModelPopulationUniqueness.PopulationUniquenessModel;

/** One setting of the lattice in ARX, as often as told: java -cp JAR ArxLattice.java FOLDER SETTING SHARE TIMES. */
public class ArxLattice {
    static final String[] KEYS = {"sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation", "salary-class"};

    public static void main(String[] given) throws Exception {
        String folder = given[0], setting = given[1];
        double share = Double.parseDouble(given[2]);
        OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        StringBuilder times = new StringBuilder();
        String told = "";
        int gone = 0;
        for (int i = 0; i < Integer.parseInt(given[3]); i++) {
            Data data = Data.create(new File(folder, "adult.csv"), StandardCharsets.UTF_8, ';');
            for (String key : KEYS)
                data.getDefinition().setAttributeType(key, Hierarchy.create(new File(folder, "adult_hierarchy_" + key + ".csv"), StandardCharsets.UTF_8, ';'));
            ARXConfiguration config = configured(setting, data, folder);
            config.setSuppressionLimit(share);
            config.setHeuristicSearchThreshold(Integer.MAX_VALUE);
            config.setUseHeuristicSearchForSampleBasedCriteria(false);
            long before = system.getProcessCpuTime();
            ARXResult result = new ARXAnonymizer().anonymize(data, config);
            double seconds = (system.getProcessCpuTime() - before) / 1e9;
            times.append(i > 0 ? ", " : "").append(seconds);
            if (result.isResultAvailable()) gone = result.getOutput(false).getStatistics().getEquivalenceClassStatistics().getNumberOfSuppressedRecords();
            told = result.getGlobalOptimum() == null ? "" : Arrays.toString(result.getGlobalOptimum().getTransformation());
        }
        System.out.println("{\"seconds\": [" + times + "], \"levels\": \"" + told + "\", \"suppressed\": " + gone + "}");
    }

    static ARXConfiguration configured(String setting, Data data, String folder) throws Exception {
        ARXConfiguration config = ARXConfiguration.create();
        String sensitive = "occupation";
        Metric<?> metric = Metric.createLossMetric(AggregateFunction.ARITHMETIC_MEAN);
        PrivacyCriterion more = null;
        boolean k = true;
        switch (setting) {
            case "mean": break;
            case "geometric": metric = Metric.createLossMetric(AggregateFunction.GEOMETRIC_MEAN); break;
            case "l_diversity": more = new DistinctLDiversity(sensitive, 3); break;
            case "t_equal": more = new EqualDistanceTCloseness(sensitive, 0.2); break;
            case "t_hierarchical": more = new HierarchicalDistanceTCloseness(sensitive, 0.2, Hierarchy.create(new File(folder, "adult_hierarchy_" + sensitive + ".csv"), StandardCharsets.UTF_8, ';')); break;
            case "delta": case "delta_arx": more = new DDisclosurePrivacy(sensitive, 1.5); break;
            case "beta": case "beta_arx": more = new EnhancedBLikeness(sensitive, 3); break;
            case "discernibility": metric = Metric.createDiscernabilityMetric(); break;
            case "class_size": metric = Metric.createAECSMetric(); break;
            case "ambiguity": metric = Metric.createAmbiguityMetric(); break;
            case "divergence": metric = Metric.createKLDivergenceMetric(); break;
            case "entropy": metric = Metric.createEntropyMetric(); break;
            case "precision": metric = Metric.createPrecisionMetric(); break;
            case "uniques": k = false; config.addPrivacyModel(new SampleUniqueness(0.01)); break;
            case "population": case "population_dankar": k = false; config.addPrivacyModel(new PopulationUniqueness(0.01, PopulationUniquenessModel.DANKAR, ARXPopulationModel.create(data.getHandle().getNumRows(), 0.1))); break;
            case "average": k = false; config.addPrivacyModel(new AverageReidentificationRisk(0.05)); break;
            default: throw new IllegalArgumentException(setting);
        }
        if (k) config.addPrivacyModel(new KAnonymity(5));
        if (more != null) {
            data.getDefinition().setAttributeType(sensitive, AttributeType.SENSITIVE_ATTRIBUTE);
            config.addPrivacyModel(more);
        }
        config.setQualityModel(metric);
        return config;
    }
}
